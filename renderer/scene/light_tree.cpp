#include "renderer/scene/light_tree.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <algorithm>
#include <cmath>

namespace tl {
namespace {

constexpr double kPiD = 3.14159265358979323846;

/// The measure of the directions into which a node emits, weighted by the cosine (the paper's
/// equation 1).
double orientation_of(const LightBounds& bounds) {
    double cone = std::acos(std::clamp(static_cast<double>(bounds.cos_cone), -1.0, 1.0));
    double falloff = std::acos(std::clamp(static_cast<double>(bounds.cos_falloff), -1.0, 1.0));
    double most = std::min(cone + falloff, kPiD);
    return 2 * kPiD * (1 - std::cos(cone)) +
           kPiD / 2 *
               (2 * most * std::sin(cone) - std::cos(cone - 2 * most) - 2 * cone * std::sin(cone) +
                std::cos(cone));
}

double cost_of(const LightBounds& bounds) {
    return static_cast<double>(bounds.power) * orientation_of(bounds) *
           std::max(static_cast<double>(bounds.box.half_area()), 1e-30);
}

class LightTreeBuilder {
  public:
    explicit LightTreeBuilder(std::span<const LightBounds> lights) : lights_(lights) {
        for (std::uint32_t i = 0; i < lights.size(); ++i)
            if (lights[i].power > 0) order_.push_back(i);
    }

    LightTree build() {
        tree_.trails.resize(lights_.size());
        if (order_.empty()) return std::move(tree_);
        split_all();
        widen();
        return std::move(tree_);
    }

  private:
    static constexpr int kBins = 12;
    static constexpr int kDeepest = 63;

    /// Ranges with fewer lights are processed by one thread.
    static constexpr std::size_t kShared = 2048;

    /// A pending split of a range of the order. The splits below it, 2 (end - begin) - 2 of them,
    /// are stored from `below` on.
    struct Task {
        std::uint32_t split, below;
        std::size_t begin, end;
        int depth;

        [[nodiscard]] bool is_shared() const { return end - begin >= kShared; }
    };
    /// A pending node, made of the two levels below a split.
    struct WideTask {
        std::uint32_t node, split;
        int depth;
        std::uint64_t trail;
    };

    /// Builds the binary tree.
    void split_all() {
        tree_.splits.resize(2 * order_.size() - 1);
        bounds_.resize(2 * order_.size() - 1);
        split_below({0, 1, 0, order_.size(), 0});
    }
    /// Builds a split and its subtree.
    void split_below(const Task& whole) {
        // Depth first with an explicit stack: lights in a row make deep trees.
        std::vector<Task> tasks{whole};
        while (!tasks.empty()) {
            Task task = tasks.back();
            tasks.pop_back();
            LightBounds& bounds = bounds_[task.split] = bounds_of(task.begin, task.end);
            if (task.end - task.begin == 1) {
                tree_.splits[task.split].child = LightChild::kLeaf | order_[task.begin];
                continue;
            }
            std::size_t middle = split(task, bounds);
            std::uint32_t child = tree_.splits[task.split].child = task.below;
            auto below_first = static_cast<std::uint32_t>(2 * (middle - task.begin) - 2);
            Task first{child, child + 2, task.begin, middle, task.depth + 1};
            Task second{child + 1, child + 2 + below_first, middle, task.end, task.depth + 1};
            if (first.is_shared() && second.is_shared()) {
                tbb::parallel_invoke([&] { split_below(first); }, [&] { split_below(second); });
            } else {
                tasks.push_back(first);
                tasks.push_back(second);
            }
        }
    }
    /// Collapses each two levels of the binary tree into nodes.
    void widen() {
        tree_.nodes.emplace_back();
        std::vector<WideTask> tasks{{0, 0, 0, 0}};
        while (!tasks.empty()) {
            WideTask task = tasks.back();
            tasks.pop_back();
            std::uint32_t lane = 0;
            auto add = [&](std::uint32_t split) {
                std::uint64_t trail = task.trail | std::uint64_t{lane} << (2 * task.depth);
                add_child(task, split, lane++, trail, tasks);
            };
            auto add_below = [&](std::uint32_t split, auto&& add_one) {
                std::uint32_t child = tree_.splits[split].child;
                if (child & LightChild::kLeaf) return add(split);
                add_one(child);
                add_one(child + 1);
            };
            add_below(task.split, [&](std::uint32_t split) { add_below(split, add); });
        }
    }
    void add_child(const WideTask& task, std::uint32_t split, std::uint32_t lane,
                   std::uint64_t trail, std::vector<WideTask>& tasks) {
        LightSplit& from = tree_.splits[split];
        from.lane = LightNode::kWidth * task.node + lane;
        tree_.nodes[task.node].set(lane, LightChild::of(bounds_[split], from.child));
        std::uint32_t& child = tree_.nodes[task.node].child[lane];
        if (child & LightChild::kLeaf) {
            tree_.trails[child & ~LightChild::kLeaf] = trail;
            return;
        }
        child = static_cast<std::uint32_t>(tree_.nodes.size());
        tasks.push_back({child, split, task.depth + 1, trail});
        tree_.nodes.emplace_back();
    }

    [[nodiscard]] const LightBounds& at(std::size_t place) const { return lights_[order_[place]]; }
    [[nodiscard]] LightBounds bounds_of(std::size_t begin, std::size_t end) const {
        LightBounds all = at(begin);
        for (std::size_t i = begin + 1; i < end; ++i) all = LightBounds::united(all, at(i));
        return all;
    }

    /// Partitions the task's lights, the first child's first. Returns the start of the second
    /// child's.
    std::size_t split(const Task& task, const LightBounds& bounds) {
        std::size_t n = task.end - task.begin;
        Box centers;
        for (std::size_t i = task.begin; i < task.end; ++i) centers.extend(at(i).box.center());
        // Median splits from this depth on keep the tree within the depth that a trail can store.
        int halvings = 1;
        while ((std::size_t{1} << halvings) < n) ++halvings;
        int axis = -1, bin = 0;
        if (task.depth + halvings < kDeepest) find_split(task, bounds, centers, axis, bin);
        auto first = order_.begin() + static_cast<std::ptrdiff_t>(task.begin);
        auto last = order_.begin() + static_cast<std::ptrdiff_t>(task.end);
        if (axis >= 0) {
            auto middle = std::partition(first, last, [&](std::uint32_t light) {
                return bin_of(lights_[light], centers, axis) <= bin;
            });
            if (middle != first && middle != last)
                return static_cast<std::size_t>(middle - order_.begin());
        }
        vec3 e = centers.hi - centers.lo;
        int widest = e.x >= e.y && e.x >= e.z ? 0 : e.y >= e.z ? 1 : 2;
        auto middle = first + static_cast<std::ptrdiff_t>(n / 2);
        std::nth_element(first, middle, last, [&](std::uint32_t a, std::uint32_t b) {
            return lights_[a].box.center()[widest] < lights_[b].box.center()[widest];
        });
        return task.begin + n / 2;
    }
    static int bin_of(const LightBounds& light, const Box& centers, int axis) {
        float extent = centers.hi[axis] - centers.lo[axis];
        float place = (light.box.center()[axis] - centers.lo[axis]) / extent;
        return std::clamp(static_cast<int>(place * kBins), 0, kBins - 1);
    }
    /// The last bin of the first child, and the cost of the split.
    struct BinSplit {
        double cost = HUGE_VAL;
        int bin = 0;
    };
    void find_split(const Task& task, const LightBounds& bounds, const Box& centers, int& best_axis,
                    int& best_bin) const {
        BinSplit found[3];
        auto find = [&](int axis) {
            if (centers.hi[axis] > centers.lo[axis])
                found[axis] = best_along(task, bounds, centers, axis);
        };
        if (task.is_shared())
            tbb::parallel_for(0, 3, find);
        else
            for (int axis = 0; axis < 3; ++axis) find(axis);
        double best = HUGE_VAL;
        for (int axis = 0; axis < 3; ++axis)
            if (found[axis].cost < best)
                best = found[axis].cost, best_axis = axis, best_bin = found[axis].bin;
    }
    [[nodiscard]] BinSplit best_along(const Task& task, const LightBounds& bounds,
                                      const Box& centers, int axis) const {
        vec3 size = bounds.box.hi - bounds.box.lo;
        float longest = std::max({size.x, size.y, size.z});
        LightBounds bins[kBins];
        for (std::size_t i = task.begin; i < task.end; ++i) {
            auto& bin = bins[bin_of(at(i), centers, axis)];
            bin = LightBounds::united(bin, at(i));
        }
        // Regularisation of thin boxes: the cost grows by the longest side over the side along the
        // axis.
        double stretch = static_cast<double>(longest / std::max(size[axis], 1e-30f));
        double below[kBins];
        LightBounds sum;
        for (int k = 0; k < kBins; ++k) {
            sum = LightBounds::united(sum, bins[k]);
            below[k] = sum.power > 0 ? cost_of(sum) : 0;
        }
        BinSplit best;
        sum = {};
        for (int k = kBins - 1; k > 0; --k) {
            sum = LightBounds::united(sum, bins[k]);
            if (!(sum.power > 0) || below[k - 1] == 0) continue;
            double cost = stretch * (below[k - 1] + cost_of(sum));
            if (cost < best.cost) best = {cost, k - 1};
        }
        return best;
    }

    std::span<const LightBounds> lights_;
    std::vector<std::uint32_t> order_;
    std::vector<LightBounds> bounds_;  // bounds of the splits
    LightTree tree_;
};

}  // namespace

LightTree build_light_tree(std::span<const LightBounds> lights) {
    return LightTreeBuilder(lights).build();
}

}  // namespace tl
