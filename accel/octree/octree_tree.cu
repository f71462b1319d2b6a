// Octree as a tree builder over boxes, in two phases (Goradia 2008, figure 7.5, for splats). The
// first builds an octree over the centres of the boxes. The second inserts each box into all cells
// that it overlaps, also into those without a centre; a cell's part of a box is a reference of its
// own. The references are sorted by their cells along the Morton curve. They are joined to a binary
// tree by the bits of the curve; three of its levels are one of the octree.
//
// A box descends to deeper cells while it overlaps few of them. If the capacity for references is
// short, each box has one reference, as a whole, in the cell of its centre.
#include <algorithm>

#include "accel/bvh/builders/lbvh.h"
#include "accel/octree/octree_builder.h"
#include "accel/octree/octree_keys.h"
#include "accel/octree/octree_tree_config.h"
#include "accel/tree_builder.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kNoNode = ~0u;

/// Returns every third bit of a key, from the lowest on.
TL_D std::uint32_t every_third_bit(std::uint64_t x) {
    x &= 0x1249249249249249;
    x = (x ^ (x >> 2)) & 0x10c30c30c30c30c3;
    x = (x ^ (x >> 4)) & 0x100f00f00f00f00f;
    x = (x ^ (x >> 8)) & 0x1f0000ff0000ff;
    x = (x ^ (x >> 16)) & 0x1f00000000ffff;
    x = (x ^ (x >> 32)) & 0x1fffff;
    return static_cast<std::uint32_t>(x);
}

/// Cell of the octree, or an empty one that contains no centre.
struct MetCell {
    std::uint64_t code;  ///< lowest key in the cell
    std::uint32_t node;  ///< kNoNode if no centre lies in the cell
    std::uint32_t level;
};

/// Cells that a box overlaps: at most kMost, which cover it.
struct MetCells {
    static constexpr int kMost = 16;
    MetCell cells[kMost];
    int n = 0;
};

struct InsertPass {
    OctreeView tree;
    BuildInput input;
    View<std::uint32_t> n_cells, firsts;    ///< references of each box, and their prefix sums
    View<std::uint32_t> is_valid, n_valid;  ///< 1 for each valid box, and their prefix sums
    View<Box> boxes;                        ///< boxes of the references
    View<std::uint32_t> primitive_of;
    View<std::uint64_t> codes;
    View<std::uint32_t> numbers;
    TreeHeader* header = nullptr;

    [[nodiscard]] TL_D std::uint32_t n_boxes() const {
        return static_cast<std::uint32_t>(input.boxes.size);
    }
    /// Returns the box of a cell; cells at the border of the grid extend to infinity there.
    [[nodiscard]] TL_D Box space_of(std::uint64_t code, std::uint32_t level) const {
        const OctreeGrid& grid = tree.header[0].grid;
        constexpr std::uint32_t kEnd = 1u << OctreeGrid::kLevels;
        std::uint32_t size = kEnd >> level;
        Box box;
        for (int axis = 0; axis < 3; ++axis) {
            std::uint32_t lo = every_third_bit(code >> (2 - axis)), hi = lo + size;
            box.lo[axis] =
                lo == 0 ? -kInfinity : grid.lo[axis] + static_cast<float>(lo) * grid.cell_size;
            box.hi[axis] =
                hi == kEnd ? kInfinity : grid.lo[axis] + static_cast<float>(hi) * grid.cell_size;
        }
        return box;
    }
    TL_D static bool meet(const Box& a, const Box& b) {
        return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y &&
               a.lo.z <= b.hi.z && b.lo.z <= a.hi.z;
    }
    /// Appends the octants of a cell that a box overlaps; returns false if there are too many.
    TL_D bool open(const MetCell& cell, const Box& box, MetCells& parts) const {
        OctreeNode node = tree.nodes[cell.node];
        std::uint32_t child = node.first_child;
        int shift = 3 * (OctreeGrid::kLevels - 1 - static_cast<int>(cell.level));
        for (std::uint64_t part = 0; part < 8; ++part) {
            bool has_node =
                child < node.end_child && (tree.keys[tree.nodes[child].first] >> shift & 7) == part;
            MetCell own{cell.code | part << shift, has_node ? child : kNoNode, cell.level + 1};
            if (has_node) ++child;
            if (!meet(box, space_of(own.code, own.level))) continue;
            if (parts.n == MetCells::kMost) return false;
            parts.cells[parts.n++] = own;
        }
        return true;
    }
    /// Returns the deepest cells that the box overlaps or, if these are too many, cells above them.
    TL_D MetCells cells_of(const Box& box) const {
        MetCells met;
        met.cells[met.n++] = {0, tree.header[0].n_nodes > 0 ? 0 : kNoNode, 0};
        while (true) {
            MetCells parts;
            bool is_open = false;
            for (int i = 0; i < met.n; ++i) {
                const MetCell& cell = met.cells[i];
                if (cell.node != kNoNode && !tree.nodes[cell.node].is_leaf()) {
                    is_open = true;
                    if (!open(cell, box, parts)) return met;
                } else if (parts.n == MetCells::kMost) {
                    return met;
                } else {
                    parts.cells[parts.n++] = cell;
                }
            }
            if (!is_open) return met;
            met = parts;
        }
    }
    TL_D void count(std::uint32_t i) const {
        bool valid = i < n_boxes() && input.boxes[i].is_valid();
        is_valid[i] = valid ? 1 : 0;
        n_cells[i] = valid ? static_cast<std::uint32_t>(cells_of(input.boxes[i]).n) : 0;
    }
    TL_D void insert(std::uint32_t i) const {
        std::uint32_t n_parts = firsts[n_boxes()], n_whole = n_valid[n_boxes()];
        bool fits = n_parts <= boxes.size;
        if (i == 0) {
            header->n_valid = fits ? n_parts : n_whole;
            header->n_dropped = n_boxes() - n_whole;
        }
        Box box = input.boxes[i];
        if (!box.is_valid()) return;
        if (!fits) return put(n_valid[i], i, box, key_of(tree.header[0].grid, box.center()));
        MetCells met = cells_of(box);
        for (int k = 0; k < met.n; ++k) {
            Box space = space_of(met.cells[k].code, met.cells[k].level);
            Box part;
            part.lo = glm::max(box.lo, space.lo);
            part.hi = glm::min(box.hi, space.hi);
            put(firsts[i] + static_cast<std::uint32_t>(k), i, part, met.cells[k].code);
        }
    }
    TL_D void put(std::uint32_t at, std::uint32_t i, const Box& box, std::uint64_t code) const {
        boxes[at] = box;
        primitive_of[at] = input.primitive_of.empty() ? i : input.primitive_of[i];
        codes[at] = code;
    }
};

/// Writes the centres of boxes as points of no area. Centres of invalid boxes are infinite, so that
/// the octree drops them.
void find_middles(Stream& stream, View<const Box> boxes, View<Surfel> middles) {
    parallel_for(
        stream, "middles of boxes", static_cast<std::uint32_t>(boxes.size),
        TL_LAMBDA(std::uint32_t i) {
            vec3 middle = boxes[i].is_valid() ? boxes[i].center() : vec3(kInfinity);
            middles[i] = {middle, 0, vec3(0), 0};
        });
}

class OctreeTreeBuilder final : public TreeBuilder {
  public:
    explicit OctreeTreeBuilder(std::unique_ptr<OctreeBuilder> octrees)
        : octrees_(std::move(octrees)) {}
    [[nodiscard]] std::size_t max_references(std::size_t n) const override {
        constexpr std::size_t kSpare = 256;  // capacity for the smallest scenes
        auto room = static_cast<std::size_t>(static_cast<double>(n) * config_.references) + kSpare;
        return n == 0 ? 0 : std::min(room, std::max(n, kMaxPrimitives));
    }
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) override {
        auto& stream = scratch.stream();
        std::size_t n = input.boxes.size, room = tree.order.size;
        build_octree(scratch, input.boxes);
        InsertPass pass;
        pass.tree = octree_.view();
        pass.input = input;
        for (auto* view : {&pass.n_cells, &pass.firsts, &pass.is_valid, &pass.n_valid})
            *view = scratch.take<std::uint32_t>(n + 1);
        pass.boxes = scratch.take<Box>(room);
        pass.primitive_of = scratch.take<std::uint32_t>(room);
        pass.codes = scratch.take<std::uint64_t>(room);
        pass.numbers = scratch.take<std::uint32_t>(room);
        pass.header = tree.header.data;
        parallel_for(
            stream, "cells of boxes", static_cast<std::uint32_t>(n + 1),
            TL_LAMBDA(std::uint32_t i) { pass.count(i); }, kGrain);
        exclusive_scan<std::uint32_t>(scratch, pass.n_cells, pass.firsts);
        exclusive_scan<std::uint32_t>(scratch, pass.is_valid, pass.n_valid);
        parallel_for(
            stream, "numbers of references", static_cast<std::uint32_t>(room),
            TL_LAMBDA(std::uint32_t i) {
                pass.codes[i] = ~std::uint64_t(0);
                pass.numbers[i] = i;
            });
        parallel_for(
            stream, "boxes in cells", static_cast<std::uint32_t>(n),
            TL_LAMBDA(std::uint32_t i) { pass.insert(i); }, kGrain);
        Pairs<std::uint64_t> spare{scratch.take<std::uint64_t>(room),
                                   scratch.take<std::uint32_t>(room)};
        auto sorted = sort_pairs(scratch, {pass.codes, pass.numbers}, spare);
        tree.boxes = pass.boxes;
        tree.primitive_of = pass.primitive_of;
        tree.order = sorted.values;
        join_along_curve(scratch, pass.boxes, {{}, sorted.keys}, input.leaves, tree);
    }
    Settings settings() override { return config_.settings(); }

  private:
    static constexpr std::uint32_t kGrain = 256;

    void build_octree(Scratch& scratch, View<const Box> boxes) {
        Scratch::Scope scope(scratch);
        auto& stream = scratch.stream();
        auto middles = scratch.take<Surfel>(boxes.size);
        find_middles(stream, boxes, middles);
        StageTimer timer(stream);
        timer.enable(false);
        OctreeConfig config;
        config.leaf_size = config_.cell_size;
        // Walls of rooms often lie on the bounds; a tight grid puts them into border cells.
        config.is_tight = true;
        octrees_->build(scratch, middles, config, octree_, timer);
    }

    std::unique_ptr<OctreeBuilder> octrees_;
    Octree octree_;
    OctreeTreeConfig config_;
};

}  // namespace

std::unique_ptr<OctreeBuilder> make_modern_octree_builder();

std::unique_ptr<TreeBuilder> make_octree_tree_builder() {
    return std::make_unique<OctreeTreeBuilder>(make_modern_octree_builder());
}

TL_DEVICE_END
