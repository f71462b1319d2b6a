// Sums over lists of sources for groups of targets: points of leaves, interpolation points of
// expansions, or all pairs of points.
//
// A block has the targets of one group, four to a thread. Groups are of any size; with one thread
// per target a third of the threads would idle. So the block holds several copies of its targets,
// as many as its threads suffice for. It loads 128 lists at a time, and their concatenated sources
// 256 at a time into shared memory. With n copies, each copy adds every n-th source to its targets.
// At the end the copies' sums are added in a fixed order, so that they are the same bits in every
// run. On the CPU a block is one thread that has 64 targets, eight to a register.
//
// A Pass defines targets and sources:
//   Pair                                      interaction of two points, a form of a kernel
//   n_groups(); group(i), those with most work first; n_targets(group), n_lists(group)
//   list(group, l) -> List, with n sources
//   load_target(group, target, float* words), load_source(group, list, i, float* words)
//   store(group, target, const float* sums)
#pragma once

#include <utility>

#include "accel/fmm/lanes.h"
#include "core/device/block.h"

TL_DEVICE_BEGIN

template <class Pass>
struct Gather {
    using Pair = typename Pass::Pair;
    static constexpr int kThreads = 128;

    Pass pass;

#if defined(__CUDACC__)
    static constexpr std::uint32_t kPerThread = 4;  ///< targets of a thread
    static constexpr std::uint32_t kSources = 256;  ///< in shared memory at a time
    using List = decltype(std::declval<const Pass&>().list(0, 0));

    struct Shared {
        List lists[kThreads];
        std::uint32_t ends[kThreads];  ///< ends of the lists among all their sources
        std::uint32_t of_warps[kThreads / 32];
        union {
            alignas(16) float sources[kSources][Pair::kSourceWords];
            float sums[kPerThread * Pair::kSums][kThreads];
        };
    };

    __device__ void operator()(const Block<kThreads>& block, Shared& shared) const {
        std::uint32_t group = pass.group(block.index), n = pass.n_targets(group);
        for (std::uint32_t first = 0; first < n; first += kPerThread * kThreads) {
            std::uint32_t left = n - first;
            sum(block, shared, group, first,
                left < kPerThread * kThreads ? left : kPerThread * kThreads);
        }
    }

    /// The group's targets from `first` on, `n` of them.
    __device__ void sum(const Block<kThreads>& block, Shared& shared, std::uint32_t group,
                        std::uint32_t first, std::uint32_t n) const {
        // Number of threads that hold all targets once, and the number of such copies in the block.
        std::uint32_t n_together = (n + kPerThread - 1) / kPerThread;
        std::uint32_t n_shares = kThreads / n_together;
        std::uint32_t share = block.rank / n_together, own = block.rank % n_together;
        float targets[kPerThread][Pair::kTargetWords], sums[kPerThread][Pair::kSums] = {};
        for (std::uint32_t k = 0; k < kPerThread; ++k) {
            std::uint32_t target = own + k * n_together;
            pass.load_target(group, first + (target < n ? target : n - 1), targets[k]);
        }
        std::uint32_t n_lists = pass.n_lists(group);
        for (std::uint32_t l = 0; l < n_lists; l += kThreads) {
            std::uint32_t n_sources = load_lists(block, shared, group, l, n_lists);
            for (std::uint32_t begin = 0; begin < n_sources; begin += kSources) {
                std::uint32_t left = n_sources - begin;
                std::uint32_t n_loaded = left < kSources ? left : kSources;
                for (std::uint32_t i = block.rank; i < n_loaded; i += kThreads)
                    load_source(shared, group, begin, i);
                block.sync();
                if (share < n_shares)
                    for (std::uint32_t i = share; i < n_loaded; i += n_shares) {
                        float source[Pair::kSourceWords];
                        read(shared.sources[i], source);
                        for (std::uint32_t k = 0; k < kPerThread; ++k)
                            Pair::add(targets[k], source, sums[k]);
                    }
                block.sync();
            }
        }
        for (std::uint32_t k = 0; k < kPerThread; ++k)
            for (std::uint32_t c = 0; c < Pair::kSums; ++c)
                shared.sums[Pair::kSums * k + c][block.rank] = sums[k][c];
        block.sync();
        for (std::uint32_t target = block.rank; target < n; target += kThreads) {
            std::uint32_t k = target / n_together;
            float all[Pair::kSums] = {};
            for (std::uint32_t s = 0; s < n_shares; ++s)
                for (std::uint32_t c = 0; c < Pair::kSums; ++c)
                    all[c] +=
                        shared.sums[Pair::kSums * k + c][s * n_together + target % n_together];
            pass.store(group, first + target, all);
        }
        block.sync();
    }

  private:
    /// Loads lists from the l-th on, one to a thread; returns how many sources they have together.
    __device__ std::uint32_t load_lists(const Block<kThreads>& block, Shared& shared,
                                        std::uint32_t group, std::uint32_t l,
                                        std::uint32_t n_lists) const {
        std::uint32_t lane = block.rank % 32, warp = block.rank / 32, end = 0;
        if (l + block.rank < n_lists) {
            List list = pass.list(group, l + block.rank);
            shared.lists[block.rank] = list;
            end = list.n;
        }
        for (std::uint32_t offset = 1; offset < 32; offset *= 2) {
            std::uint32_t before = __shfl_up_sync(kWholeWarp, end, offset);
            if (lane >= offset) end += before;
        }
        if (lane == 31) shared.of_warps[warp] = end;
        block.sync();
        for (std::uint32_t w = 0; w < warp; ++w) end += shared.of_warps[w];
        shared.ends[block.rank] = end;
        block.sync();
        return shared.ends[kThreads - 1];
    }
    /// Puts the i-th source of those from `begin` on into shared memory.
    __device__ void load_source(Shared& shared, std::uint32_t group, std::uint32_t begin,
                                std::uint32_t i) const {
        // The first list that ends behind the source.
        std::uint32_t at = begin + i, list = 0;
        for (std::uint32_t step = kThreads / 2; step > 0; step /= 2)
            if (shared.ends[list + step - 1] <= at) list += step;
        std::uint32_t first = list > 0 ? shared.ends[list - 1] : 0;
        alignas(16) float words[Pair::kSourceWords];
        pass.load_source(group, shared.lists[list], at - first, words);
        // In words of 16 bytes.
        auto* to = reinterpret_cast<float4*>(shared.sources[i]);
        for (int k = 0; k < Pair::kSourceWords / 4; ++k)
            to[k] = reinterpret_cast<const float4*>(words)[k];
    }
    __device__ static void read(const float* from, float* words) {
        for (int k = 0; k < Pair::kSourceWords / 4; ++k) {
            float4 four = reinterpret_cast<const float4*>(from)[k];
            words[4 * k] = four.x;
            words[4 * k + 1] = four.y;
            words[4 * k + 2] = four.z;
            words[4 * k + 3] = four.w;
        }
    }
#else
    static constexpr std::uint32_t kRegisters = 8;  ///< registers of targets at a time
    static constexpr std::uint32_t kSources = 64;   ///< at a time

    using Shared = NoShared;

    void operator()(const Block<kThreads>& block, Shared&) const {
        std::uint32_t group = pass.group(block.index), n = pass.n_targets(group);
        for (std::uint32_t first = 0; first < n; first += kRegisters * kLanes) sum(group, first, n);
    }
    void sum(std::uint32_t group, std::uint32_t first, std::uint32_t n) const {
        std::uint32_t left = n - first < kRegisters * kLanes ? n - first : kRegisters * kLanes;
        std::uint32_t n_registers = (left + kLanes - 1) / kLanes;
        Float8 targets[kRegisters][Pair::kTargetWords], sums[kRegisters][Pair::kSums];
        float words[kSources][Pair::kSourceWords];
        for (std::uint32_t i = 0; i < n_registers * kLanes; ++i) {
            float target[Pair::kTargetWords];
            pass.load_target(group, first + (i < left ? i : left - 1), target);
            for (int c = 0; c < Pair::kTargetWords; ++c)
                targets[i / kLanes][c].set_lane(static_cast<int>(i % kLanes), target[c]);
        }
        for (auto& of_register : sums)
            for (auto& sum : of_register) sum = 0.0f;
        std::uint32_t n_lists = pass.n_lists(group);
        for (std::uint32_t l = 0; l < n_lists; ++l) {
            auto list = pass.list(group, l);
            for (std::uint32_t begin = 0; begin < list.n; begin += kSources) {
                std::uint32_t n_loaded = list.n - begin < kSources ? list.n - begin : kSources;
                for (std::uint32_t i = 0; i < n_loaded; ++i)
                    pass.load_source(group, list, begin + i, words[i]);
                for (std::uint32_t r = 0; r < n_registers; ++r)
                    add_sources(targets[r], words, n_loaded, sums[r]);
            }
        }
        for (std::uint32_t i = 0; i < left; ++i) {
            float own[Pair::kSums];
            for (int c = 0; c < Pair::kSums; ++c)
                own[c] = sums[i / kLanes][c].lane(static_cast<int>(i % kLanes));
            pass.store(group, first + i, own);
        }
    }

  private:
    static void add_sources(const Float8 (&target)[Pair::kTargetWords],
                            const float (*sources)[Pair::kSourceWords], std::uint32_t n,
                            Float8 (&sums)[Pair::kSums]) {
        Float8 own[Pair::kSums];
        for (int c = 0; c < Pair::kSums; ++c) own[c] = sums[c];
        for (std::uint32_t i = 0; i < n; ++i) Pair::add(target, sources[i], own);
        for (int c = 0; c < Pair::kSums; ++c) sums[c] = own[c];
    }
#endif
};

template <class Pass>
void gather(Stream& stream, const char* name, const Pass& pass) {
    launch_blocks<Gather<Pass>::kThreads>(stream, name, pass.n_groups(), Gather<Pass>{pass});
}

TL_DEVICE_END
