// Treelet restructuring: Karras & Aila 2013, section 3. Bottom-up, every node over at least gamma
// primitives becomes the root of a treelet of seven leaves that is rearranged optimally. Gamma is
// seven and doubles with each round, since the lower treelets gain least from further rounds. One
// thread per node without inner children climbs. At a node with two inner children, the second
// thread to arrive continues. On CUDA each lane climbs on its own, but all lanes of a warp work
// together on its treelets, one after another.
#include "accel/bvh/passes/optimize_treelets.h"

#include "accel/bvh/passes/treelet.h"
#include "core/device/parallel_for.h"
#if defined(__CUDACC__)
#include "core/device/launch_cuda.h"
#endif

TL_DEVICE_BEGIN

namespace {

struct TreeletPass {
    View<const Box> boxes;
    BinaryTree tree;
    LeafPolicy policy;
    std::uint32_t gamma;
    View<std::uint32_t> parents;
    View<std::uint32_t> arrived;   ///< whether the first of two inner children has arrived
    View<std::uint64_t> subtrees;  ///< packed Subtree of each node
    /// Whether a climb starts at the node; stored, since treelets change the nodes meanwhile.
    View<std::uint8_t> starts;

    TL_D std::uint32_t n_nodes() const { return tree.header[0].n_nodes; }

    TL_D static NodeRef plain(NodeRef ref) {
        return ref.is_leaf() ? ref : NodeRef::inner(ref.node());
    }
    TL_D void link(std::uint32_t i) const {
        if (i >= n_nodes()) return;
        BinaryNode& node = tree.nodes[i];
        NodeRef children[2] = {plain(node.left), plain(node.right)};
        node.left = children[0];
        node.right = children[1];
        for (NodeRef child : children)
            if (!child.is_leaf()) parents[child.node()] = i;
        arrived[i] = 0;
        starts[i] = children[0].is_leaf() && children[1].is_leaf() && !children[1].is_missing();
    }

    TL_D Treelet::Leaf load(NodeRef ref) const {
        Treelet::Leaf leaf;
        leaf.ref = ref;
        leaf.area = -1;
        if (ref.is_leaf()) {
            for (std::uint32_t k = 0; k < ref.count(); ++k)
                leaf.box.extend(boxes[tree.order[ref.first() + k]]);
            leaf.subtree = {static_cast<float>(ref.count()) * leaf.box.half_area(), ref.count()};
        } else {
            BinaryNode node = load_fresh(&tree.nodes[ref.node()]);
            leaf.box = node.box();
            leaf.children[0] = node.left;
            leaf.children[1] = node.right;
            leaf.area = leaf.box.half_area();
            leaf.subtree = Subtree::unpacked(load_fresh(&subtrees[ref.node()]));
        }
        return leaf;
    }
    /// Computes the Subtree of a node whose children are final. Returns whether the node becomes
    /// the root of a treelet.
    TL_D bool sum_up(std::uint32_t i) const {
        BinaryNode node = load_fresh(&tree.nodes[i]);
        Subtree left = load(node.left).subtree, right = load(node.right).subtree;
        std::uint32_t n_below = left.n_below + right.n_below;
        float cost = subtree_cost(policy, node.box().half_area(), n_below, left.cost + right.cost);
        subtrees[i] = Subtree{cost, n_below}.packed();
        return n_below >= gamma;
    }
    /// Rearranges a treelet; called by the whole team.
    TL_D void optimize(Treelet& treelet, std::uint32_t root) const {
        BinaryNode node = load_fresh(&tree.nodes[root]);
        float old_cost = Subtree::unpacked(load_fresh(&subtrees[root])).cost;
        auto load_leaf = [&](NodeRef ref) { return load(ref); };
        int n_leaves = treelet.grow(root, node.left, node.right, load_leaf);
        if (n_leaves < 3) return;
        treelet.solve(n_leaves, policy);
        if (!(treelet.cost[(1 << n_leaves) - 1] < old_cost)) return;
        treelet.rebuild(n_leaves, [&](int k) {
            std::uint32_t s = treelet.subset[k], i = treelet.inner[k];
            Box box = treelet.box_of(s);
            tree.nodes[i] = {box.lo, treelet.children[k][0], box.hi, treelet.children[k][1]};
            subtrees[i] = Subtree{treelet.cost[s], treelet.n_below(s)}.packed();
        });
    }
    /// Moves to the parent; returns false if the climb ends here.
    TL_D bool climb(std::uint32_t& i) const {
        if (i == tree.header[0].root) return false;
        i = parents[i];
        const BinaryNode& node = tree.nodes[i];  // not modified until both children have arrived
        bool both_inner = !node.left.is_leaf() && !node.right.is_leaf();
        return !both_inner || atomic_exchange(&arrived[i], 1) == 1;
    }
};

#if defined(__CUDACC__)

constexpr int kTreeletBlock = 128;

__global__ void __launch_bounds__(kTreeletBlock) treelet_kernel(TreeletPass pass) {
    constexpr unsigned kAllLanes = 0xffffffffu;
    constexpr int kWarps = kTreeletBlock / 32;
    __shared__ alignas(Treelet) unsigned char storage[kWarps * sizeof(Treelet)];
    Treelet& treelet = reinterpret_cast<Treelet*>(storage)[threadIdx.x / 32];
    std::uint32_t i = blockIdx.x * kTreeletBlock + threadIdx.x;
    bool climbing = i < pass.n_nodes() && pass.starts[i];
    // All lanes stay in the loop until the last climb of the warp has ended.
    while (__any_sync(kAllLanes, climbing)) {
        bool is_root = climbing && pass.sum_up(i);
        __threadfence();
        __syncwarp();  // makes the lanes' writes visible to the whole warp
        for (unsigned todo = __ballot_sync(kAllLanes, is_root); todo; todo &= todo - 1) {
            std::uint32_t root = __shfl_sync(kAllLanes, i, __ffs(static_cast<int>(todo)) - 1);
            pass.optimize(treelet, root);
            __threadfence();
            __syncwarp();
        }
        climbing = climbing && pass.climb(i);
    }
}

void run_pass(Stream& stream, const TreeletPass& pass, std::uint32_t capacity) {
    launch(stream, "treelets", blocks_for(capacity, kTreeletBlock), kTreeletBlock, treelet_kernel,
           pass);
}

#else

void run_pass(Stream& stream, const TreeletPass& pass, std::uint32_t capacity) {
    parallel_for(stream, "treelets", capacity, [=](std::uint32_t i) {
        if (i >= pass.n_nodes() || !pass.starts[i]) return;
        Treelet treelet;
        do {
            if (pass.sum_up(i)) pass.optimize(treelet, i);
        } while (pass.climb(i));
    });
}

#endif

}  // namespace

void optimize_treelets(Scratch& scratch, const BuildInput& input, BinaryTree& tree, int n_rounds) {
    Scratch::Scope scope(scratch);
    std::size_t capacity = tree.nodes.size;
    TreeletPass pass{input.boxes,
                     tree,
                     input.leaves,
                     Treelet::kMaxLeaves,
                     scratch.take<std::uint32_t>(capacity),
                     scratch.take<std::uint32_t>(capacity),
                     scratch.take<std::uint64_t>(capacity),
                     scratch.take<std::uint8_t>(capacity)};
    auto n = static_cast<std::uint32_t>(capacity);
    for (int round = 0; round < n_rounds; ++round, pass.gamma *= 2) {
        parallel_for(
            scratch.stream(), "link parents", n, TL_LAMBDA(std::uint32_t i) { pass.link(i); });
        run_pass(scratch.stream(), pass, n);
    }
}

TL_DEVICE_END
