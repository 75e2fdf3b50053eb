// A sum on several threads. Its bits do not depend on the number of threads.
//
//   c++ -pthread reduce.cpp $(pkg-config --cflags --libs hotloops)
#include "handle.hpp"

#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

static double sum(const std::vector<double> &x, size_t threads)
{
    std::vector<Repro> parts;
    for (size_t thread = 0; thread < threads; thread++)
        parts.push_back(make<Repro>(hl_reduce_repro_create));
    std::vector<std::thread> workers;
    for (size_t thread = 0; thread < threads; thread++)
        workers.emplace_back([&, thread] {
            const size_t begin = x.size() * thread / threads, end = x.size() * (thread + 1) / threads;
            // It fails only for null pointers.
            hl_reduce_repro_add_f64(parts[thread].get(), x.data() + begin, end - begin);
        });
    for (std::thread &worker : workers)
        worker.join();
    for (size_t thread = 1; thread < threads; thread++)
        check(hl_reduce_repro_merge(parts[0].get(), parts[thread].get()));
    double result = 0;
    check(hl_reduce_repro_sum(parts[0].get(), &result));
    return result;
}

int main()
{
    std::vector<double> x(1000000);
    for (size_t i = 0; i < x.size(); i++)
        x[i] = (i % 3 ? -0.5 : 1.0) / static_cast<double>(i + 1);
    std::printf("std::accumulate  %.17g\n", std::accumulate(x.begin(), x.end(), 0.0));
    const double one = sum(x, 1);
    bool same = true;
    for (size_t threads : {1, 2, 3, 8}) {
        const double result = sum(x, threads);
        std::printf("%zu threads        %.17g\n", threads, result);
        same = same && result == one;
    }
    return same ? 0 : 1;
}
