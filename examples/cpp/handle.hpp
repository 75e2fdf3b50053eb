// A C++ layer over the C header: statuses become exceptions, handles destroy themselves.
#ifndef HANDLE_HPP
#define HANDLE_HPP

#include <hotloops.h>

#include <memory>
#include <stdexcept>

inline void check(hl_status status)
{
    if (status != HL_OK)
        throw std::runtime_error(hl_status_string(status));
}

template <class T, void (*destroy)(T *)> struct Destroy {
    void operator()(T *handle) const { destroy(handle); }
};

template <class T, void (*destroy)(T *)> using Handle = std::unique_ptr<T, Destroy<T, destroy>>;

using Generator = Handle<hl_random_mt19937, hl_random_mt19937_destroy>;
using Model = Handle<hl_ising_model, hl_ising_destroy>;
using Repro = Handle<hl_reduce_repro, hl_reduce_repro_destroy>;
using Points = Handle<hl_correlation_points, hl_correlation_points_destroy>;
using Pairs = Handle<hl_correlation_pairs, hl_correlation_pairs_destroy>;
using Plan = Handle<hl_matmul_plan, hl_matmul_plan_destroy>;

// make<Generator>(hl_random_mt19937_create, seeds, 16): returns the handle that such a function writes to
// its last argument.
template <class H, class Create, class... Arguments> H make(Create create, Arguments... arguments)
{
    typename H::pointer handle = nullptr;
    check(create(arguments..., &handle));
    return H(handle);
}

#endif
