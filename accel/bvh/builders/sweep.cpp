// Full-sweep SAH (MacDonald & Booth 1990, top-down as Wald 2007): evaluates every split of the
// boxes sorted by their centres along each axis. Boxes are sorted once; a split partitions the
// three orders stably. Nothing is sampled or binned. Ties go to the most even split. It is the
// quality reference for the other builders' trees.
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_sort.h>

#include <algorithm>

#include "accel/bvh/builders/host_builder.h"

namespace tl {
namespace {

/// Number of references above which subtrees are separate tasks.
constexpr std::uint32_t kTaskSize = 4096;

/// Split of a node between two references in the order along `axis`.
struct Cut {
    float cost = kInfinity;
    int axis = 0;
    std::uint32_t n_left = 0;
    std::uint32_t unevenness = ~0u;

    [[nodiscard]] bool better_than(const Cut& o) const {
        return cost < o.cost || (cost == o.cost && unevenness < o.unevenness);
    }
};

class Sweep {
  public:
    Sweep(std::span<const Box> boxes, std::vector<std::uint32_t> valid)
        : boxes_(boxes), goes_left_(boxes.size()) {
        tree_.nodes.resize(valid.size() - 1);
        for (int axis = 0; axis < 3; ++axis) {
            sorted_[axis] = valid;
            tbb::parallel_sort(sorted_[axis].begin(), sorted_[axis].end(),
                               [&, axis](std::uint32_t a, std::uint32_t b) {
                                   float x = boxes[a].center()[axis], y = boxes[b].center()[axis];
                                   return x < y || (x == y && a < b);
                               });
            areas_[axis].resize(valid.size());
            spare_[axis].resize(valid.size());
        }
    }
    HostBinaryTree run() {
        build(0, static_cast<std::uint32_t>(sorted_[0].size()), 0);
        tree_.order = std::move(sorted_[0]);
        return std::move(tree_);
    }

  private:
    /// Builds the subtree over positions [first, last), at least two. It has one node less than
    /// references; nodes are numbered from the root `node` on.
    void build(std::uint32_t first, std::uint32_t last, std::uint32_t node) {
        bool is_large = last - first > kTaskSize;
        Cut cuts[3];
        for_axes(is_large, [&](int axis) { cuts[axis] = best_cut(axis, first, last); });
        Cut cut = cuts[0];
        for (int axis : {1, 2})
            if (cuts[axis].better_than(cut)) cut = cuts[axis];
        std::uint32_t middle = first + cut.n_left;
        Box box;
        for (std::uint32_t i = first; i < last; ++i) {
            std::uint32_t reference = sorted_[cut.axis][i];
            goes_left_[reference] = i < middle;
            box.extend(boxes_[reference]);
        }
        for_axes(is_large, [&](int axis) {
            if (axis != cut.axis) part(axis, first, last);
        });
        std::uint32_t left = node + 1, right = node + cut.n_left;
        tree_.nodes[node] = {box.lo, reference_to(first, middle, left), box.hi,
                             reference_to(middle, last, right)};
        auto build_left = [=, this] {
            if (middle - first > 1) build(first, middle, left);
        };
        auto build_right = [=, this] {
            if (last - middle > 1) build(middle, last, right);
        };
        if (is_large) {
            tbb::parallel_invoke(build_left, build_right);
        } else {
            build_left();
            build_right();
        }
    }
    static NodeRef reference_to(std::uint32_t first, std::uint32_t last, std::uint32_t node) {
        return last - first == 1 ? NodeRef::leaf(first, 1) : NodeRef::inner(node);
    }
    template <class Work>
    static void for_axes(bool in_parallel, Work work) {
        if (in_parallel)
            tbb::parallel_invoke([&] { work(0); }, [&] { work(1); }, [&] { work(2); });
        else
            for (int axis = 0; axis < 3; ++axis) work(axis);
    }
    Cut best_cut(int axis, std::uint32_t first, std::uint32_t last) {
        auto& order = sorted_[axis];
        auto& right_area = areas_[axis];
        Box box;
        for (std::uint32_t i = last; i-- > first + 1;) {
            box.extend(boxes_[order[i]]);
            right_area[i] = box.half_area();
        }
        Cut best;  // halves the node if no cost is a number
        best.axis = axis;
        best.n_left = (last - first) / 2;
        box = Box{};
        for (std::uint32_t i = first + 1; i < last; ++i) {
            box.extend(boxes_[order[i - 1]]);
            std::uint32_t n_left = i - first, n_right = last - i;
            Cut cut{static_cast<float>(n_left) * box.half_area() +
                        static_cast<float>(n_right) * right_area[i],
                    axis, n_left, n_left > n_right ? n_left - n_right : n_right - n_left};
            if (cut.better_than(best)) best = cut;
        }
        return best;
    }
    /// Stable partition along `axis`: moves the references that go left before the others.
    void part(int axis, std::uint32_t first, std::uint32_t last) {
        auto &order = sorted_[axis], &spare = spare_[axis];
        std::uint32_t n_left = first, n_right = 0;
        for (std::uint32_t i = first; i < last; ++i) {
            if (goes_left_[order[i]])
                order[n_left++] = order[i];
            else
                spare[first + n_right++] = order[i];
        }
        std::copy_n(spare.begin() + first, n_right, order.begin() + n_left);
    }

    std::span<const Box> boxes_;
    std::vector<std::uint32_t> sorted_[3], spare_[3];
    std::vector<float> areas_[3];  // area of the union of all boxes from each position on
    std::vector<std::uint8_t> goes_left_;
    HostBinaryTree tree_;
};

class SweepBuilder final : public HostTreeBuilder {
    HostBinaryTree build_on_host(std::span<const Box> boxes,
                                 std::vector<std::uint32_t> valid) override {
        return Sweep(boxes, std::move(valid)).run();
    }
};

}  // namespace

std::unique_ptr<TreeBuilder> make_sweep_builder() {
    return std::make_unique<SweepBuilder>();
}

}  // namespace tl
