#include "solvers/svd/merge_plan.h"

#include <algorithm>
#include <cmath>

namespace tl {
namespace {

/// The rows in which a column of U and V is nonzero.
enum class Reach { top, both, bottom };

struct Triplet {
    int column;
    double value, z;
    Reach reach;
};

/// The pole at zero: combines the children's null vectors in V into one.
Triplet pole_at_zero(const Part& part, double alpha, double beta, double tolerance,
                     const MergeArrays& arrays, MergePlan& plan) {
    double z = alpha * arrays.z[part.middle];
    if (part.cols > part.rows) {
        int null_column = part.row + part.rows;
        double other = beta * arrays.z[null_column], length = std::hypot(z, other);
        plan.has_null = true;
        plan.null_rotation = {part.middle, null_column, 1, 0};
        if (length > tolerance) {
            plan.null_rotation.c = z / length;
            plan.null_rotation.s = other / length;
        }
        z = length;
    }
    if (std::abs(z) <= tolerance) z = std::signbit(z) ? -tolerance : tolerance;
    return {part.middle, 0, z, Reach::both};
}

/// The children's triplets by ascending value.
std::vector<Triplet> sorted_triplets(const Part& part, double alpha, double beta,
                                     const MergeArrays& arrays) {
    std::vector<Triplet> triplets;
    triplets.reserve(part.rows);
    for (int t = part.row; t < part.row + part.rows; ++t) {
        if (t == part.middle) continue;
        bool top = t < part.middle;
        triplets.push_back({t, arrays.values[t], (top ? alpha : beta) * arrays.z[t],
                            top ? Reach::top : Reach::bottom});
    }
    std::sort(triplets.begin(), triplets.end(), [](const Triplet& a, const Triplet& b) {
        return a.value < b.value || (a.value == b.value && a.column < b.column);
    });
    return triplets;
}

}  // namespace

std::vector<Part> split_bidiagonal(int n, int leaf_size) {
    std::vector<Part> parts{{0, n, n, 0, -1, -1, 0}};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Part part = parts[i];
        if (part.rows <= leaf_size) continue;
        int top = (part.rows - 1) / 2;
        part.middle = part.row + top;
        part.left = static_cast<int>(parts.size());
        part.right = part.left + 1;
        parts[i] = part;
        parts.push_back({part.row, top, top + 1, 0, -1, -1, part.level + 1});
        parts.push_back(
            {part.middle + 1, part.rows - top - 1, part.cols - top - 1, 0, -1, -1, part.level + 1});
    }
    return parts;
}

MergePlan plan_merge(const Part& part, double alpha, double beta, double epsilon,
                     const MergeArrays& arrays) {
    MergePlan plan;
    auto triplets = sorted_triplets(part, alpha, beta, arrays);
    double largest = std::max(std::abs(alpha), std::abs(beta));
    if (!triplets.empty()) largest = std::max(largest, triplets.back().value);
    // Deflating below this tolerance changes B by less than rounding errors.
    double tolerance = 16 * epsilon * largest;

    std::vector<Triplet> kept{pole_at_zero(part, alpha, beta, tolerance, arrays, plan)};
    std::vector<Triplet> left_out;
    for (auto& triplet : triplets) {
        if (std::abs(triplet.z) <= tolerance) {
            left_out.push_back(triplet);
            continue;
        }
        Triplet& last = kept.back();
        if (kept.size() > 1 && triplet.value - last.value <= tolerance) {
            // Two poles that coincide: a rotation makes the weight of the first zero.
            double length = std::hypot(triplet.z, last.z);
            plan.rotations.push_back(
                {last.column, triplet.column, triplet.z / length, -last.z / length});
            bool alike = triplet.reach == last.reach;
            left_out.push_back(last);
            last = triplet;
            last.z = length;
            if (!alike) last.reach = Reach::both;
            continue;
        }
        kept.push_back(triplet);
    }
    if (kept.size() > 1) kept[1].value = std::max(kept[1].value, tolerance / 2);

    plan.count = static_cast<int>(kept.size());
    int place = part.row;
    auto put = [&](Reach reach) {
        for (int k = 0; k < plan.count; ++k) {
            if (kept[k].reach != reach) continue;
            arrays.order[place] = kept[k].column;
            arrays.place[part.row + k] = place - part.row;
            ++place;
        }
    };
    put(Reach::top);
    plan.first_bottom = place - part.row;
    put(Reach::both);
    plan.n_top = place - part.row;
    put(Reach::bottom);
    for (int k = 0; k < plan.count; ++k) {
        arrays.poles[part.row + k] = kept[k].value;
        arrays.weights[part.row + k] = kept[k].z;
    }
    for (auto& triplet : left_out) {
        arrays.order[place] = triplet.column;
        arrays.values[place] = triplet.value;
        ++place;
    }
    return plan;
}

}  // namespace tl
