#include "accel/fmm/fmm_choice.h"

#include <span>

namespace tl {
namespace {

struct Row {
    float error;
    int order;
    float theta;
    float slack;
};

// docs/algorithms/fmm.md has the measurements of each row.
constexpr Row kInverseDistance[] = {
    {1e-2f, 2, 0.7f, 0},
    {5e-4f, 3, 0.75f, 0},
    {1e-4f, 4, 0.65f, 0},
    {1e-5f, 5, 0.5f, 0},
};
// For octrees split by normal (OctreeConfig::by_normal).
constexpr Row kRadiosity[] = {
    {3e-2f, 2, 0.7f, 0.03f}, {3e-3f, 2, 0.25f, 0.03f}, {1e-3f, 3, 0.4f, 0.03f},
    {3e-4f, 3, 0.3f, 3e-3f}, {1e-4f, 4, 0.35f, 5e-4f}, {1e-5f, 6, 0.45f, 1e-5f},
};
constexpr Row kInverseDistanceHarmonics[] = {
    {1e-2f, 3, 0.6f, 0},
    {5e-4f, 5, 0.6f, 0},
    {1e-4f, 7, 0.6f, 0},
    {1e-5f, 8, 0.45f, 0},
};
constexpr Row kRadiosityHarmonics[] = {
    {3e-2f, 3, 0.5f, 0.03f}, {1e-2f, 4, 0.6f, 0.03f}, {1e-3f, 6, 0.5f, 0.03f},
    {3e-4f, 7, 0.5f, 5e-3f}, {1e-4f, 8, 0.4f, 5e-4f}, {1e-5f, 8, 0.3f, 1e-5f},
};

std::span<const Row> rows_of(FmmKernel kernel, FmmBasis basis) {
    bool is_light = kernel == FmmKernel::radiosity;
    if (basis == FmmBasis::harmonics)
        return is_light ? std::span<const Row>(kRadiosityHarmonics) : kInverseDistanceHarmonics;
    return is_light ? std::span<const Row>(kRadiosity) : kInverseDistance;
}

}  // namespace

FmmChoice choose_fmm(FmmKernel kernel, float error, FmmBasis basis) {
    if (!(error >= FmmErrors::kLeast && error <= FmmErrors::kMost))
        throw UsageError("the error of sums by expansions is 1e-5 to 0.1");
    auto row = rows_of(kernel, basis).begin();
    while (row->error > error) ++row;
    FmmChoice choice;
    choice.expansion = {basis, row->order};
    choice.links.theta = row->theta;
    choice.links.slack = row->slack;
    // Number of pairs of points that take about as long as a link by expansions: measured on an
    // H200 and on a CPU, for harmonics on a CPU alone.
    std::uint32_t n_pairs = pairs_of_terms(kernel, choice.expansion);
    choice.links.few.of_whole = kernel == FmmKernel::radiosity ? n_pairs * 3 / 2 : n_pairs;
    if (basis == FmmBasis::interpolation) choice.links.few.order = row->order;
    return choice;
}

std::uint32_t pairs_of_terms(FmmKernel kernel, FmmExpansion expansion) {
    auto p = static_cast<std::uint32_t>(expansion.order);
    if (expansion.basis == FmmBasis::interpolation) return p * p * p * p * p * p;
    return kernel == FmmKernel::radiosity
               ? p * (p + 1) * (p + 2) * (p + 3) * (p + 4) * (p + 5) / 720
               : p * (p + 1) * (p * p + p + 1) / 6;
}

}  // namespace tl
