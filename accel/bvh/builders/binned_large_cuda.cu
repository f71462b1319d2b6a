// Large nodes of the binned builders on CUDA, breadth first. Three launches per level process all
// its nodes, whose references are divided into chunks. In the first, a block bins its chunk's boxes
// in shared memory and merges these bins into its node's. In the second, a warp chooses each node's
// split. In the third, blocks move the references of their chunks, in order, to the other buffer.
// Launches after the last non-empty level find empty lists and return. Nodes that are still large
// after the last level are finished by one block each.
#include "accel/bvh/builders/binned_cuda.h"

namespace tl::cuda {

namespace {

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;
/// Eight blocks for each of 132 SMs, which loop over the chunks.
constexpr unsigned kGrid = 132 * 8;
/// References that a block bins at a time; chunk sizes are multiples of this.
constexpr std::uint32_t kTile = 4 * kBlock;
/// Levels that a block splits by planes below a node it finishes; deeper nodes are halved.
constexpr std::uint32_t kMaxBlockDepth = 64;

struct LargeNode {
    std::uint32_t first, count, parent;
    std::uint32_t first_chunk;
    OrderedBox centers;  ///< bounds of the centres; computed while partitioning the level above
    Split split;
    /// Indices of the children among the next level's nodes, or kSmall.
    std::uint32_t child[2];
    static constexpr std::uint32_t kSmall = 0xffffffffu;
};

struct Level {
    std::uint32_t n_nodes, n_chunks;
};

struct LargeStage {
    View<const Box> boxes;
    BinaryTree tree;
    int n_bins;
    std::uint32_t chunk_size;
    Orders orders;
    StagedTasks small;
    View<Level> levels;
    /// Double buffer: nodes of a level and of the next one.
    View<LargeNode> nodes[2];
    /// Double buffer: node of each chunk.
    View<std::uint32_t> chunk_nodes[2];
    /// Bins of the nodes, kBinWords each; zero at the start of a level.
    View<std::uint32_t> bins;
    View<std::uint16_t> codes;  ///< bins of the reference at each position
    /// Number of references up to and including each bin, for each chunk and axis.
    View<std::uint32_t> chunk_counts;
    /// For each chunk: references of its node in earlier chunks that go left.
    View<std::uint32_t> chunk_n_left;

    TL_D std::uint32_t n_chunks_of(std::uint32_t count) const {
        return (count + chunk_size - 1) / chunk_size;
    }
    struct Chunk {
        std::uint32_t node, begin, end;
    };
    TL_D Chunk chunk_at(int level, std::uint32_t chunk) const {
        std::uint32_t node_index = chunk_nodes[level % 2][chunk];
        const LargeNode& node = nodes[level % 2][node_index];
        std::uint32_t begin = node.first + (chunk - node.first_chunk) * chunk_size;
        return {node_index, begin, min(begin + chunk_size, node.first + node.count)};
    }
    /// Appends a node of `level`, in buffer level % 2, or a small task. Returns the node's index or
    /// kSmall. Called by a warp.
    TL_D std::uint32_t push(int level, std::uint32_t first, std::uint32_t count,
                            std::uint32_t parent) const {
        std::uint32_t lane = threadIdx.x % 32;
        if (count <= kSmallBinnedNode) {
            if (lane == 0)
                small.push({first, count, parent, static_cast<std::uint32_t>(level % 2)});
            return LargeNode::kSmall;
        }
        std::uint32_t n_chunks = n_chunks_of(count), node = 0, chunk = 0;
        if (lane == 0) {
            node = atomicAdd(&levels[level].n_nodes, 1u);
            chunk = atomicAdd(&levels[level].n_chunks, n_chunks);
            nodes[level % 2][node] = {first, count, parent, chunk, {}, {}, {}};
        }
        node = __shfl_sync(kAllLanes, node, 0);
        chunk = __shfl_sync(kAllLanes, chunk, 0);
        for (std::uint32_t i = lane; i < n_chunks; i += 32)
            chunk_nodes[level % 2][chunk + i] = node;
        return node;
    }
    TL_D vec3 center_of(const std::uint32_t* order, std::uint32_t place) const {
        return boxes[order[place]].center();
    }
};

/// Writes the unions of all threads' boxes to `shared`; called by all threads of the block.
template <int kCount>
TL_D void reduce_in_block(OrderedBox (&boxes)[kCount], std::uint32_t* shared) {
    if (threadIdx.x < 6 * kCount) shared[threadIdx.x] = 0;
    __syncthreads();
    for (int b = 0; b < kCount; ++b)
        for (int f = 0; f < 6; ++f) {
            std::uint32_t value = warp_maximum(boxes[b].maxima[f]);
            if (threadIdx.x % 32 == 0 && value) atomicMax(&shared[6 * b + f], value);
        }
    __syncthreads();
}

/// Computes the bounds of the centres at positions [begin, end), in shared[0..6). Called by a
/// block.
TL_D void measure_places(const LargeStage& s, const std::uint32_t* order, std::uint32_t begin,
                         std::uint32_t end, std::uint32_t* shared) {
    OrderedBox centers[1];
    for (std::uint32_t place = begin + threadIdx.x; place < end; place += kBlock)
        centers[0].extend(OrderedBox::from_point(s.center_of(order, place)));
    reduce_in_block(centers, shared);
}

/// Bins the boxes at positions [begin, end) into `bins` in shared memory, and writes their codes.
/// Called by a block; clears `bins` first. Lanes process positions far apart: neighbouring boxes
/// often share a bin, and add_to_bins() merges them only if the whole warp's boxes share it.
TL_D void bin_places(const LargeStage& s, const std::uint32_t* order, std::uint32_t begin,
                     std::uint32_t end, const BinGrid& grid, std::uint32_t* bins) {
    for (int word = static_cast<int>(threadIdx.x); word < kBinWords; word += kBlock) bins[word] = 0;
    __syncthreads();
    std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (std::uint32_t tile = begin; tile < end; tile += kTile) {
        std::uint32_t size = min(kTile, end - tile);
        std::uint32_t per_thread = (size + kBlock - 1) / kBlock;
        std::uint32_t offset = (lane * kWarps + warp) * per_thread;
        for (std::uint32_t i = 0; i < per_thread; ++i) {
            bool active = offset + i < size;
            std::uint32_t place = tile + offset + i, code = 0;
            Box box;
            if (active) {
                box = s.boxes[order[place]];
                code = grid.code_of(box.center());
                s.codes[place] = static_cast<std::uint16_t>(code);
            }
            add_to_bins(bins, box, code, active);
        }
    }
    __syncthreads();
}

/// Moves the references at positions [begin, end) of a node that starts at `first` to the positions
/// from left_at and from right_at on. Keeps their order. Leaves the bounds of the two sides'
/// centres, if requested, in shared[0..12). Called by a block.
TL_D void move_places(const LargeStage& s, const std::uint32_t* from, std::uint32_t* to,
                      std::uint32_t begin, std::uint32_t end, std::uint32_t first,
                      const Split& split, std::uint32_t left_at, std::uint32_t right_at,
                      bool measure_left, bool measure_right, std::uint32_t* shared) {
    __shared__ std::uint32_t n_left_of[kWarps], n_right_of[kWarps];
    std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned lanes_before = (1u << lane) - 1;
    OrderedBox centers[2];  // constant indices only, to stay in registers
    for (std::uint32_t tile = begin; tile < end; tile += kBlock) {
        std::uint32_t place = tile + threadIdx.x;
        bool active = place < end;
        bool left = active && split.goes_left(s.codes[place], place - first);
        unsigned left_lanes = __ballot_sync(kAllLanes, left);
        unsigned right_lanes = __ballot_sync(kAllLanes, active && !left);
        if (lane == 0) {
            n_left_of[warp] = static_cast<std::uint32_t>(__popc(left_lanes));
            n_right_of[warp] = static_cast<std::uint32_t>(__popc(right_lanes));
        }
        __syncthreads();
        std::uint32_t left_to = left_at + __popc(left_lanes & lanes_before);
        std::uint32_t right_to = right_at + __popc(right_lanes & lanes_before);
        for (std::uint32_t w = 0; w < kWarps; ++w) {
            left_to += w < warp ? n_left_of[w] : 0;
            right_to += w < warp ? n_right_of[w] : 0;
            left_at += n_left_of[w];
            right_at += n_right_of[w];
        }
        if (active) {
            std::uint32_t reference = from[place];
            to[left ? left_to : right_to] = reference;
            if (left ? measure_left : measure_right) {
                OrderedBox center = OrderedBox::from_point(s.boxes[reference].center());
                if (left)
                    centers[0].extend(center);
                else
                    centers[1].extend(center);
            }
        }
        __syncthreads();
    }
    reduce_in_block(centers, shared);
}

__global__ void __launch_bounds__(kBlock) start_tasks_kernel(LargeStage s, SubtreeTasks tasks) {
    std::uint32_t n_tasks = tasks.n_tasks[0];
    std::uint32_t n_warps = gridDim.x * kWarps;
    for (std::uint32_t i = blockIdx.x * kWarps + threadIdx.x / 32; i < n_tasks; i += n_warps) {
        const SubtreeTask& task = tasks.tasks[i];
        s.push(0, task.first, task.count, task.parent);
    }
}

__global__ void __launch_bounds__(kBlock) measure_tasks_kernel(LargeStage s) {
    __shared__ std::uint32_t centers[6];
    for (std::uint32_t c = blockIdx.x; c < s.levels[0].n_chunks; c += gridDim.x) {
        auto chunk = s.chunk_at(0, c);
        measure_places(s, s.orders.buffers[0], chunk.begin, chunk.end, centers);
        if (threadIdx.x < 6)
            atomicMax(&s.nodes[0][chunk.node].centers.maxima[threadIdx.x], centers[threadIdx.x]);
        __syncthreads();
    }
    std::uint32_t n_words = s.levels[0].n_nodes * kBinWords;
    for (std::uint32_t i = blockIdx.x * kBlock + threadIdx.x; i < n_words; i += gridDim.x * kBlock)
        s.bins[i] = 0;
}

__global__ void __launch_bounds__(kBlock) bin_chunks_kernel(LargeStage s, int level) {
    __shared__ std::uint32_t bins[kBinWords];
    for (std::uint32_t c = blockIdx.x; c < s.levels[level].n_chunks; c += gridDim.x) {
        auto chunk = s.chunk_at(level, c);
        BinGrid grid(s.nodes[level % 2][chunk.node].centers, s.n_bins);
        bin_places(s, s.orders.buffers[level % 2], chunk.begin, chunk.end, grid, bins);
        std::uint32_t* of_node = &s.bins[std::size_t(chunk.node) * kBinWords];
        for (int word = static_cast<int>(threadIdx.x); word < kBinWords; word += kBlock) {
            if (bins[word] == 0) continue;
            bool is_count = word / BinsConfig::kMaxBins % kBinFields == 6;
            if (is_count)
                atomicAdd(&of_node[word], bins[word]);
            else
                atomicMax(&of_node[word], bins[word]);
        }
        // Three warps compute prefix sums of the chunk's bin counts, one axis each.
        if (threadIdx.x < 96) {
            int lane = static_cast<int>(threadIdx.x % 32),
                axis = static_cast<int>(threadIdx.x / 32);
            std::uint32_t count = bins[bin_word(axis, 6, lane)];
            for (int step = 1; step < 32; step *= 2) {
                std::uint32_t below = __shfl_up_sync(kAllLanes, count, step);
                if (lane >= step) count += below;
            }
            s.chunk_counts[std::size_t(c) * 96 + threadIdx.x] = count;
        }
        __syncthreads();
    }
}

/// Sets chunk_n_left of the node's chunks: the number of references in earlier chunks that go left.
/// Called by a warp.
TL_D void count_left_of_chunks(const LargeStage& s, const LargeNode& node, const Split& split) {
    std::uint32_t lane = threadIdx.x % 32;
    std::uint32_t n_chunks = s.n_chunks_of(node.count), n_before = 0;
    for (std::uint32_t base = 0; base < n_chunks; base += 32) {
        std::uint32_t i = base + lane, n_left = 0;
        if (i < n_chunks && split.axis != Split::kNoPlane) {
            std::size_t chunk = node.first_chunk + i;
            n_left = s.chunk_counts[chunk * 96 + split.axis * 32 + split.last_left];
        } else if (i < n_chunks) {
            std::uint32_t begin = min(i * s.chunk_size, split.n_left);
            n_left = min((i + 1) * s.chunk_size, split.n_left) - begin;
        }
        std::uint32_t sum = n_left;
        for (int step = 1; step < 32; step *= 2) {
            std::uint32_t below = __shfl_up_sync(kAllLanes, sum, step);
            if (static_cast<int>(lane) >= step) sum += below;
        }
        if (i < n_chunks) s.chunk_n_left[node.first_chunk + i] = n_before + sum - n_left;
        n_before += __shfl_sync(kAllLanes, sum, 31);
    }
}

__global__ void __launch_bounds__(kBlock) split_nodes_kernel(LargeStage s, int level) {
    std::uint32_t n_nodes = s.levels[level].n_nodes;
    std::uint32_t n_warps = gridDim.x * kWarps;
    for (std::uint32_t i = blockIdx.x * kWarps + threadIdx.x / 32; i < n_nodes; i += n_warps) {
        LargeNode node = s.nodes[level % 2][i];
        Box box;
        Split split = choose_split(&s.bins[std::size_t(i) * kBinWords], node.count, box);
        count_left_of_chunks(s, node, split);
        std::uint32_t index = node.first + split.n_left - 1;
        std::uint32_t child[2];
        child[0] = s.push(level + 1, node.first, split.n_left, SubtreeTask::child_of(index, 0));
        child[1] = s.push(level + 1, node.first + split.n_left, node.count - split.n_left,
                          SubtreeTask::child_of(index, 1));
        if (threadIdx.x % 32 == 0) {
            write_box(s.tree, index, box);
            link_child(s.tree, node.parent, NodeRef::inner(index));
            LargeNode& decided = s.nodes[level % 2][i];
            decided.split = split;
            decided.child[0] = child[0];
            decided.child[1] = child[1];
        }
    }
}

__global__ void __launch_bounds__(kBlock) move_chunks_kernel(LargeStage s, int level) {
    __shared__ std::uint32_t centers[12];
    for (std::uint32_t c = blockIdx.x; c < s.levels[level].n_chunks; c += gridDim.x) {
        auto chunk = s.chunk_at(level, c);
        LargeNode node = s.nodes[level % 2][chunk.node];
        std::uint32_t n_left = s.chunk_n_left[c], n_right = chunk.begin - node.first - n_left;
        move_places(s, s.orders.buffers[level % 2], s.orders.buffers[(level + 1) % 2], chunk.begin,
                    chunk.end, node.first, node.split, node.first + n_left,
                    node.first + node.split.n_left + n_right, node.child[0] != LargeNode::kSmall,
                    node.child[1] != LargeNode::kSmall, centers);
        if (threadIdx.x < 12) {
            std::uint32_t child = threadIdx.x < 6 ? node.child[0] : node.child[1];
            std::uint32_t value = centers[threadIdx.x];
            if (child != LargeNode::kSmall && value)
                atomicMax(&s.nodes[(level + 1) % 2][child].centers.maxima[threadIdx.x % 6], value);
        }
        __syncthreads();
    }
    std::uint32_t n_words = s.levels[level + 1].n_nodes * kBinWords;
    for (std::uint32_t i = blockIdx.x * kBlock + threadIdx.x; i < n_words; i += gridDim.x * kBlock)
        s.bins[i] = 0;
}

struct BlockNode {
    std::uint32_t first, count, parent, buffer, depth;
};

/// Splits each remaining large node by one block, depth first. The smaller child comes before the
/// larger one, so that the number of pending nodes is at most the logarithm of the largest size.
__global__ void __launch_bounds__(kBlock) finish_large_kernel(LargeStage s, int level) {
    __shared__ std::uint32_t bins[kBinWords];
    __shared__ std::uint32_t measured[12];
    __shared__ BlockNode pending[36];
    __shared__ Split shared_split;
    __shared__ Box shared_box;
    for (std::uint32_t i = blockIdx.x; i < s.levels[level].n_nodes; i += gridDim.x) {
        if (threadIdx.x == 0) {
            const LargeNode& node = s.nodes[level % 2][i];
            pending[0] = {node.first, node.count, node.parent,
                          static_cast<std::uint32_t>(level % 2), 0};
        }
        int n_pending = 1;
        while (n_pending > 0) {
            __syncthreads();
            BlockNode node = pending[--n_pending];
            __syncthreads();
            if (node.count <= kSmallBinnedNode) {
                if (threadIdx.x == 0)
                    s.small.push({node.first, node.count, node.parent, node.buffer});
                continue;
            }
            const std::uint32_t* order = s.orders.buffers[node.buffer];
            std::uint32_t end = node.first + node.count;
            measure_places(s, order, node.first, end, measured);
            OrderedBox centers;
            for (int f = 0; f < 6; ++f) centers.maxima[f] = measured[f];
            bin_places(s, order, node.first, end, BinGrid(centers, s.n_bins), bins);
            if (threadIdx.x < 32) {
                Box box;
                Split split = choose_split(bins, node.count, box);
                if (node.depth >= kMaxBlockDepth) split = {Split::kNoPlane, 0, node.count / 2};
                if (threadIdx.x == 0) {
                    shared_split = split;
                    shared_box = box;
                }
            }
            __syncthreads();
            Split split = shared_split;
            std::uint32_t buffer = 1 - node.buffer, middle = node.first + split.n_left;
            move_places(s, order, s.orders.buffers[buffer], node.first, end, node.first, split,
                        node.first, middle, false, false, measured);
            if (threadIdx.x == 0) {
                std::uint32_t index = middle - 1;
                write_box(s.tree, index, shared_box);
                link_child(s.tree, node.parent, NodeRef::inner(index));
                BlockNode left{node.first, split.n_left, SubtreeTask::child_of(index, 0), buffer,
                               node.depth + 1};
                BlockNode right{middle, end - middle, SubtreeTask::child_of(index, 1), buffer,
                                node.depth + 1};
                bool left_first = left.count < right.count;
                pending[n_pending] = left_first ? right : left;
                pending[n_pending + 1] = left_first ? left : right;
            }
            n_pending += 2;
        }
        __syncthreads();
    }
}

}  // namespace

void split_large_tasks(Scratch& scratch, View<const Box> boxes, const SubtreeTasks& tasks,
                       int n_bins, int n_levels, const BinaryTree& tree, Orders orders,
                       StagedTasks small) {
    auto& stream = scratch.stream();
    std::size_t n = tree.order.size;
    LargeStage s;
    s.boxes = boxes;
    s.tree = tree;
    s.n_bins = n_bins;
    s.chunk_size = kTile;
    // At most 4096 chunks in the root, since one warp loops over them.
    while (n / s.chunk_size > 4096) s.chunk_size *= 2;
    s.orders = orders;
    s.small = small;
    s.levels = scratch.take<Level>(static_cast<std::size_t>(n_levels) + 1);
    stream.device().fill_zero(stream, s.levels.data, s.levels.size * sizeof(Level));
    std::size_t max_nodes = n / (kSmallBinnedNode + 1) + 1,
                max_chunks = n / s.chunk_size + max_nodes;
    for (int i : {0, 1}) {
        s.nodes[i] = scratch.take<LargeNode>(max_nodes);
        s.chunk_nodes[i] = scratch.take<std::uint32_t>(max_chunks);
    }
    s.bins = scratch.take<std::uint32_t>(max_nodes * kBinWords);
    s.codes = scratch.take<std::uint16_t>(n);
    s.chunk_counts = scratch.take<std::uint32_t>(max_chunks * 96);
    s.chunk_n_left = scratch.take<std::uint32_t>(max_chunks);

    unsigned chunk_blocks = blocks_for(max_chunks, 1, kGrid), block_size = kBlock;
    launch(stream, "start binned tasks", blocks_for(tasks.tasks.size, kWarps, kGrid), block_size,
           start_tasks_kernel, s, tasks);
    if (n <= kSmallBinnedNode) return;
    launch(stream, "measure binned tasks", chunk_blocks, block_size, measure_tasks_kernel, s);
    for (int level = 0; level < n_levels; ++level) {
        launch(stream, "bin nodes", chunk_blocks, block_size, bin_chunks_kernel, s, level);
        launch(stream, "split nodes", blocks_for(max_nodes, kWarps, kGrid), block_size,
               split_nodes_kernel, s, level);
        launch(stream, "move to halves", chunk_blocks, block_size, move_chunks_kernel, s, level);
    }
    launch(stream, "finish large nodes", blocks_for(max_nodes, 1, kGrid), block_size,
           finish_large_kernel, s, n_levels);
}

}  // namespace tl::cuda
