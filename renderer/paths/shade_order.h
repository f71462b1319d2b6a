// The order in which a GPU shades what a bounce's rays have met: hits with which about the same
// will be done come together, so that the threads of a warp mostly do the same and warps with
// little to do wait for no others. A counting sort over all hits of the bounce.
#pragma once

#include "accel/parallel/block.h"
#include "renderer/paths/path_queues.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

namespace shade_order {

/// Groups of hits.
inline constexpr std::uint32_t kGroups = 8;

#if defined(__CUDACC__)

inline constexpr int kThreads = 256;
inline constexpr std::uint32_t kMostBlocks = 1024;

/// Below kGroups; what takes longest is in the last groups.
TL_D inline std::uint32_t group_of(const SceneView& scene, const Hit& hit) {
    if (!hit.found()) return 0;
    const MaterialData& m = material_at(scene, hit);
    if (m.layers >= 0) return kGroups - 1;
    bool rough = scene.ggx && m.alpha > 0;
    return 1 + static_cast<std::uint32_t>(m.kind) + (rough && sends_rays_on(m) ? 2 : 0);
}

struct CountGroups {
    struct Shared {
        std::uint32_t n_of[kGroups];
    };
    SceneView scene;
    View<const Hit> hits;
    const std::uint32_t* count;
    View<std::uint8_t> groups;
    std::uint32_t* sizes;

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        if (block.rank < kGroups) shared.n_of[block.rank] = 0;
        block.sync();
        for (std::uint32_t i = block.index * block.size + block.rank; i < *count;
             i += block.n_blocks * block.size) {
            std::uint32_t group = group_of(scene, hits[i]);
            groups[i] = static_cast<std::uint8_t>(group);
            block_add(&shared.n_of[group], 1);
        }
        block.sync();
        if (block.rank < kGroups) atomic_add(&sizes[block.rank], shared.n_of[block.rank]);
    }
};

/// Gives each entry its place, those of the last group first, so that what is done at the end
/// takes little time.
struct PlaceEntries {
    struct Shared {
        std::uint32_t n_of[kGroups], first[kGroups];
    };
    View<const std::uint8_t> groups;
    const std::uint32_t* count;
    const std::uint32_t* sizes;
    std::uint32_t* n_placed;  ///< of each group
    View<std::uint32_t> entries;

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        for (std::uint32_t first = block.index * block.size; first < *count;
             first += block.n_blocks * block.size) {
            if (block.rank < kGroups) shared.n_of[block.rank] = 0;
            block.sync();
            std::uint32_t i = first + block.rank, group = 0, place = 0;
            if (i < *count) {
                group = groups[i];
                place = atomic_add(&shared.n_of[group], 1);
            }
            block.sync();
            if (block.rank < kGroups) {
                std::uint32_t begin = 0;
                for (std::uint32_t k = block.rank + 1; k < kGroups; ++k) begin += sizes[k];
                shared.first[block.rank] =
                    begin + atomic_add(&n_placed[block.rank], shared.n_of[block.rank]);
            }
            block.sync();
            if (i < *count) entries[shared.first[group] + place] = i;
        }
    }
};

#endif

}  // namespace shade_order

/// Sorts the hits of one bounce after the other in the same memory.
class ShadeOrder {
  public:
    ShadeOrder() = default;  ///< does not sort
    /// `n`: most hits of a bounce.
    ShadeOrder(Scratch& scratch, std::uint32_t n)
        : entries_(scratch.take<std::uint32_t>(n)),
          groups_(scratch.take<std::uint8_t>(n)),
          sizes_(scratch.take<std::uint32_t>(2 * shade_order::kGroups)) {}

    /// The indices of hits[0, *count) as they are to be shaded, valid until the next call; empty
    /// where this does not sort. `count` is on the device. Never waits.
    [[nodiscard]] View<const std::uint32_t> sorted(
        [[maybe_unused]] Stream& stream, [[maybe_unused]] const SceneView& scene,
        [[maybe_unused]] View<const Hit> hits, [[maybe_unused]] const std::uint32_t* count) const {
#if defined(__CUDACC__)
        if (entries_.empty()) return {};
        using namespace shade_order;
        stream.device().fill_zero(stream, sizes_.data, sizes_.size * sizeof(std::uint32_t));
        auto n = static_cast<std::uint32_t>(entries_.size);
        std::uint32_t n_blocks = std::min((n + kThreads - 1) / kThreads, kMostBlocks);
        launch_blocks<kThreads, CountGroups::Shared>(
            stream, "groups of hits", n_blocks,
            CountGroups{scene, hits, count, groups_, sizes_.data});
        launch_blocks<kThreads, PlaceEntries::Shared>(
            stream, "order of hits", n_blocks,
            PlaceEntries{groups_, count, sizes_.data, sizes_.data + kGroups, entries_});
#endif
        return entries_;
    }

  private:
    View<std::uint32_t> entries_;
    View<std::uint8_t> groups_;
    View<std::uint32_t> sizes_;  // of the groups; of the part of each that is in place
};

TL_DEVICE_END
