// Compaction in one pass: a block collects the valid references of a chunk and reserves output
// space for them by an atomic counter. The order of the chunks is thus not fixed.
#include "accel/bvh/builders/valid_references.h"

#include "accel/bvh/builders/level_chunks.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

/// Appends the valid references of a chunk, and counts them in the header.
struct AppendPass {
    View<const Box> boxes;
    View<std::uint32_t> to;
    View<TreeHeader> header;

    struct Shared {
        std::uint32_t n, start;
        std::uint32_t slots[LevelChunk::kSize];
    };
    TL_D void operator()(const Block<LevelChunk::kThreads>& block, Shared& shared) const {
        auto n = static_cast<std::uint32_t>(boxes.size);
        std::uint32_t n_chunks = LevelChunk::count_of(n);
        for (std::uint32_t c = block.index; c < n_chunks; c += block.n_blocks) {
            block.sync();  // all threads have read the previous round's values
            if (block.rank == 0) shared.n = 0;
            block.sync();
            LevelChunk chunk{0, c * LevelChunk::kSize};
            std::uint32_t size = chunk.size_in(n);
            for (std::uint32_t i = block.rank; i < size; i += block.size)
                shared.slots[i] =
                    boxes[chunk.offset + i].is_valid() ? block_append(&shared.n) : kNone;
            block.sync();
            if (block.rank == 0) {
                shared.start = atomic_add(&header[0].n_valid, shared.n);
                atomic_add(&header[0].n_dropped, size - shared.n);
            }
            block.sync();
            for (std::uint32_t i = block.rank; i < size; i += block.size)
                if (shared.slots[i] != kNone) to[shared.start + shared.slots[i]] = chunk.offset + i;
        }
    }
};

}  // namespace

void append_valid(Stream& stream, View<const Box> boxes, View<std::uint32_t> order,
                  View<TreeHeader> header) {
    launch_walk<AppendPass::Shared>(stream, "valid references", LevelChunk::most(boxes.size, 0),
                                    AppendPass{boxes, order, header});
}

TL_DEVICE_END
