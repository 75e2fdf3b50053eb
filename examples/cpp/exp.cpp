// A softmax with the variant that the library chose, then with each variant that this CPU can run,
// called by name.
//
//   c++ exp.cpp $(pkg-config --cflags --libs hotloops)
#include <hotloops.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

using Exponential = decltype(&hl_exp_poly_f32);

static std::vector<float> softmax(std::vector<float> x, Exponential exponential)
{
    const float most = *std::max_element(x.begin(), x.end());
    for (float &value : x)
        value -= most;
    exponential(x.data(), x.data(), x.size());
    const float sum = hl_reduce_sum_f32(x.data(), x.size());
    for (float &value : x)
        value /= sum;
    return x;
}

int main()
{
    std::vector<float> logits(1000);
    for (size_t i = 0; i < logits.size(); i++)
        logits[i] = static_cast<float>(i * 7919 % 1000) / 50;
    const std::vector<float> chosen = softmax(logits, hl_exp_poly_f32);
    std::printf("sum %.6f, largest %.6f (%s)\n", std::accumulate(chosen.begin(), chosen.end(), 0.0),
                *std::max_element(chosen.begin(), chosen.end()), hl_isa_active());

    bool all = true;
    for (size_t index = 0; index < hl_variant_count(); index++) {
        char name[64];
        if (hl_variant_name(index, name, sizeof name) != HL_OK || std::string(name).find("exp/poly_f32/") != 0)
            continue;
        const auto variant = reinterpret_cast<Exponential>(hl_variant_find(name));
        if (!variant) {
            std::printf("%s: not on this CPU\n", name);
            continue;
        }
        const bool same = softmax(logits, variant) == chosen;
        std::printf("%s: %s\n", name, same ? "the same bits" : "other bits");
        all = all && same;
    }
    return all ? 0 : 1;
}
