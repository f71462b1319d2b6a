// Groups a bounce's hits by material before a GPU shades them. Hits of one group take the same
// branches, so the threads of a warp hardly diverge. Most hits are plain ones, whose code is
// compiled without the other materials.
#pragma once

#include <algorithm>

#include "core/device/block.h"
#include "renderer/path/path_limits.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

/// Kind of a ray's hit, by the material there.
enum class HitGroup : std::uint32_t {
    nothing,   ///< no hit
    diffuse,   ///< non-emissive
    phong,     ///< non-emissive
    emissive,  ///< diffuse or Phong with emission
    smooth,    ///< a mirror or glass without roughness
    rough_mirror,
    rough_glass,
    layered,
};
inline constexpr std::uint32_t kHitGroups = 8;

/// Range of groups that one instance of the shading code handles.
enum class GroupRange : std::uint32_t {
    plain,  ///< non-emissive diffuse and Phong surfaces
    rest,
    all,
};
TL_HD constexpr bool is_plain(HitGroup group) {
    return group == HitGroup::diffuse || group == HitGroup::phong;
}
TL_HD constexpr bool is_within(HitGroup group, GroupRange range) {
    return range == GroupRange::all || is_plain(group) == (range == GroupRange::plain);
}

/// Length of one group of a bounce, on the device. Each has 128 bytes of its own, since atomic
/// operations on the same few bytes are serialised.
struct alignas(128) GroupSize {
    std::uint32_t n;
};

/// Indices of each group's hits. Two groups share an array, which they fill from both ends.
struct HitGroups {
    View<std::uint32_t> entries;
    std::uint32_t most = 0;  ///< capacity in hits

    HitGroups() = default;
    HitGroups(Scratch& scratch, std::uint32_t n)
        : entries(scratch.take<std::uint32_t>(std::size_t(n) * (kHitGroups / 2))), most(n) {}

    /// Entry `i` of a group.
    [[nodiscard]] TL_D std::uint32_t& at(std::uint32_t group, std::uint32_t i) const {
        return entries[std::size_t(group / 2) * most + (group % 2 == 0 ? i : most - 1 - i)];
    }
    /// Index of hit `i` in the concatenation of a range's groups, whose lengths are `sizes`.
    template <GroupRange kRange>
    [[nodiscard]] TL_D std::uint32_t hit(const std::uint32_t (&sizes)[kHitGroups],
                                         std::uint32_t i) const {
        std::uint32_t at_group = 0;
#pragma unroll
        for (std::uint32_t group = 0; group < kHitGroups; ++group) {
            if (!is_within(static_cast<HitGroup>(group), kRange)) continue;
            at_group = group;
            if (i < sizes[group]) break;
            i -= sizes[group];
        }
        return at(at_group, i);
    }
};

TL_D inline HitGroup group_of(const SceneView& scene, const Hit& hit) {
    if (!hit.found()) return HitGroup::nothing;
    const MaterialData& m = material_at(scene, hit);
    if (m.layers >= 0) return HitGroup::layered;
    if (!sends_rays_on(m)) {
        if (m.emission != vec3(0) || has_own_emission(scene, hit)) return HitGroup::emissive;
        return m.kind == MaterialKind::phong ? HitGroup::phong : HitGroup::diffuse;
    }
    if (!scene.ggx || !(m.alpha > 0)) return HitGroup::smooth;
    return m.kind == MaterialKind::mirror ? HitGroup::rough_mirror : HitGroup::rough_glass;
}

#if defined(__CUDACC__)

/// Appends the hits of a bounce to their groups.
struct GroupHits {
    static constexpr int kThreads = 256;
    static constexpr std::uint32_t kOfThread = 4, kOfBlock = kThreads * kOfThread;
    struct Shared {
        std::uint32_t n_of[kHitGroups], first[kHitGroups];
    };
    SceneView scene;
    View<const Hit> hits;
    const std::uint32_t* count;
    HitGroups groups;
    GroupSize* sizes;  ///< of each group
    bool is_last;      ///< last bounce: plain hits contribute nothing and are left out

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        const std::uint32_t n = *count;
        for (std::uint32_t first = block.index * kOfBlock; first < n;
             first += block.n_blocks * kOfBlock) {
            if (block.rank < kHitGroups) shared.n_of[block.rank] = 0;
            block.sync();
            std::uint32_t group[kOfThread], place[kOfThread];
#pragma unroll
            for (std::uint32_t k = 0; k < kOfThread; ++k)
                group[k] = kept_group(first + k * kThreads + block.rank, n);
#pragma unroll
            for (std::uint32_t k = 0; k < kOfThread; ++k) place[k] = append(shared, group[k]);
            block.sync();
            if (block.rank < kHitGroups) add_group(shared, block.rank);
            block.sync();
#pragma unroll
            for (std::uint32_t k = 0; k < kOfThread; ++k)
                if (group[k] < kHitGroups)
                    groups.at(group[k], shared.first[group[k]] + place[k]) =
                        first + k * kThreads + block.rank;
        }
    }

  private:
    /// Group of hit `i`; kHitGroups for hits that need no shading.
    TL_D std::uint32_t kept_group(std::uint32_t i, std::uint32_t n) const {
        if (i >= n) return kHitGroups;
        HitGroup group = group_of(scene, hits[i]);
        if (group == HitGroup::nothing && !scene.environment && scene.background == vec3(0))
            return kHitGroups;
        if (is_last && is_plain(group)) return kHitGroups;
        return static_cast<std::uint32_t>(group);
    }
    /// Rank of this thread's hit among the block's hits of the group. Called by whole warps, which
    /// do one shared-memory atomic operation per group.
    TL_D static std::uint32_t append(Shared& shared, std::uint32_t group) {
        unsigned same = __match_any_sync(kWholeWarp, group);
        unsigned lane = threadIdx.x % 32;
        int leader = __ffs(static_cast<int>(same)) - 1;
        std::uint32_t first = 0;
        if (static_cast<int>(lane) == leader && group < kHitGroups)
            first = atomicAdd(&shared.n_of[group], static_cast<std::uint32_t>(__popc(same)));
        first = __shfl_sync(kWholeWarp, first, leader);
        return first + static_cast<std::uint32_t>(__popc(same & ((1u << lane) - 1)));
    }
    TL_D void add_group(Shared& shared, std::uint32_t group) const {
        std::uint32_t n = shared.n_of[group];
        if (n > 0) shared.first[group] = atomic_add(&sizes[group].n, n);
    }
};

#endif

/// Appends hits[0, *count) of a bounce to their groups, whose `sizes` must be 0. Leaves out hits
/// that contribute nothing: misses in scenes with a black background, and plain surfaces if
/// `is_last`, since paths terminate there. Does nothing on the CPU. Never waits.
inline void group_hits([[maybe_unused]] Stream& stream, [[maybe_unused]] const SceneView& scene,
                       [[maybe_unused]] View<const Hit> hits,
                       [[maybe_unused]] const std::uint32_t* count,
                       [[maybe_unused]] const HitGroups& groups, [[maybe_unused]] GroupSize* sizes,
                       [[maybe_unused]] bool is_last) {
#if defined(__CUDACC__)
    constexpr int kBlocksOfMultiprocessor = 8;
    auto n = static_cast<std::uint32_t>(hits.size);
    std::uint32_t n_blocks =
        std::min((n + GroupHits::kOfBlock - 1) / GroupHits::kOfBlock,
                 static_cast<std::uint32_t>(stream.multiprocessors()) * kBlocksOfMultiprocessor);
    launch_blocks<GroupHits::kThreads, GroupHits::Shared, kBlocksOfMultiprocessor>(
        stream, "groups of hits", n_blocks, GroupHits{scene, hits, count, groups, sizes, is_last});
#endif
}

TL_DEVICE_END
