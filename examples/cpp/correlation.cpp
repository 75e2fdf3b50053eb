// Points that keep a distance from each other, in a periodic box: g(r), the density of pairs
// relative to independent points, and g6(r), the correlation of the directions to their six
// neighbours.
//
//   c++ correlation.cpp $(pkg-config --cflags --libs hotloops)
#include "handle.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

int main()
{
    const double box[2] = {60, 60}, largest = 5, width = 0.25;
    const auto apart = [&](double a, double b, int axis) { return std::remainder(a - b, box[axis]); };
    std::mt19937 rng(60);
    std::uniform_real_distribution<double> along(0, box[0]), across(0, box[1]);
    std::vector<double> x, y;
    for (int attempt = 0; attempt < 3000; attempt++) {
        const double u = along(rng), v = across(rng);
        bool free = true;
        for (size_t i = 0; i < x.size(); i++)
            free = free && std::hypot(apart(x[i], u, 0), apart(y[i], v, 1)) >= 1;
        if (free) {
            x.push_back(u);
            y.push_back(v);
        }
    }

    std::vector<int16_t> psi(2 * x.size());
    check(hl_correlation_psi_of_neighbours(x.data(), y.data(), x.size(), box, 6, 6, psi.data()));
    const Points points =
        make<Points>(hl_correlation_points_create, x.data(), y.data(), psi.data(), x.size(), box, largest);
    const Pairs pairs = make<Pairs>(hl_correlation_pairs_create_uniform, 0.0, largest, width);
    check(hl_correlation_pairs_add_points(pairs.get(), points.get()));
    size_t n = 0;
    check(hl_correlation_pairs_len(pairs.get(), &n));
    std::vector<hl_correlation_pairs_bin> bins(n);
    check(hl_correlation_pairs_get(pairs.get(), bins.data(), n));

    const double count = static_cast<double>(x.size()), density = count / (box[0] * box[1]);
    std::printf("%zu points\n    r   pairs    g(r)   g6(r)\n", x.size());
    for (const hl_correlation_pairs_bin &bin : bins) {
        const double ring = std::acos(-1.0) * (bin.hi * bin.hi - bin.lo * bin.lo);
        const double expected = count / 2 * density * ring;
        std::printf("%5.3f %7lu %7.3f %7.3f\n", (bin.lo + bin.hi) / 2, static_cast<unsigned long>(bin.count),
                    static_cast<double>(bin.count) / expected, bin.g);
    }
    // No two points are closer than 1.
    const auto holds = [](const hl_correlation_pairs_bin &bin) { return bin.hi > 1 || bin.count == 0; };
    return std::all_of(bins.begin(), bins.end(), holds) ? 0 : 1;
}
