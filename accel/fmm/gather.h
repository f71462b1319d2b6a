// Sums of what targets get from lists of sources: between points of leaves, between places of
// expansions, and over all pairs of points.
//
// A block of four warps has the targets of one group, 32, 64 or 128 at a time: each thread of a
// warp has one, two or four of them. The warps take turns with the lists; each puts 32 sources at a
// time into shared memory, from where all its threads read one source after another, which costs no
// more than one of them reading it. At the end the warps' sums are added up in one order, so that
// sums are the same bits in every run. On the CPU a block is one thread that has 64 targets, eight
// to a register.
//
// A Pass tells what targets and sources are:
//   Pair                                      how they interact, a form of a kernel
//   n_groups(), n_targets(group), n_lists(group)
//   list(group, l) -> List, with n sources
//   load_target(group, target, float* words), load_source(group, list, i, float* words)
//   store(group, target, const float* sums)
#pragma once

#include "accel/fmm/lanes.h"
#include "accel/parallel/block.h"

TL_DEVICE_BEGIN

template <class Pass>
struct Gather {
    using Pair = typename Pass::Pair;
    static constexpr int kThreads = 128;

    Pass pass;

#if defined(__CUDACC__)
    static constexpr std::uint32_t kWarps = kThreads / 32;
    static constexpr int kMostPerThread = 4;

    struct Shared {
        union {
            alignas(16) float sources[kWarps][32][Pair::kSourceWords];
            float sums[kWarps - 1][Pair::kSums * kMostPerThread][32];
        };
    };

    __device__ void operator()(const Block<kThreads>& block, Shared& shared) const {
        std::uint32_t n = pass.n_targets(block.index);
        for (std::uint32_t first = 0; first < n; first += 32 * kMostPerThread) {
            if (n - first > 64)
                sum<4>(block, shared, first, n);
            else if (n - first > 32)
                sum<2>(block, shared, first, n);
            else
                sum<1>(block, shared, first, n);
        }
    }

    /// The targets from `first` on, of which the group has `n`.
    template <int kPerThread>
    __device__ void sum(const Block<kThreads>& block, Shared& shared, std::uint32_t first,
                        std::uint32_t n) const {
        std::uint32_t lane = block.rank % 32, warp = block.rank / 32, group = block.index;
        float targets[kPerThread][Pair::kTargetWords], sums[kPerThread][Pair::kSums] = {};
        for (int k = 0; k < kPerThread; ++k) {
            std::uint32_t target = first + 32 * k + lane;
            pass.load_target(group, target < n ? target : n - 1, targets[k]);
        }
        auto& sources = shared.sources[warp];
        std::uint32_t n_lists = pass.n_lists(group);
        for (std::uint32_t l = warp; l < n_lists; l += kWarps) {
            auto list = pass.list(group, l);
            for (std::uint32_t begin = 0; begin < list.n; begin += 32) {
                std::uint32_t n_loaded = list.n - begin < 32 ? list.n - begin : 32;
                __syncwarp();
                if (lane < n_loaded) store(sources[lane], group, list, begin + lane);
                __syncwarp();
                for (std::uint32_t i = 0; i < n_loaded; ++i) {
                    float source[Pair::kSourceWords];
                    load(sources[i], source);
                    for (int k = 0; k < kPerThread; ++k) Pair::add(targets[k], source, sums[k]);
                }
            }
        }
        block.sync();
        if (warp > 0)
            for (int k = 0; k < kPerThread; ++k)
                for (int c = 0; c < Pair::kSums; ++c)
                    shared.sums[warp - 1][Pair::kSums * k + c][lane] = sums[k][c];
        block.sync();
        if (warp == 0)
            for (int k = 0; k < kPerThread; ++k) {
                for (int c = 0; c < Pair::kSums; ++c)
                    for (std::uint32_t other = 0; other + 1 < kWarps; ++other)
                        sums[k][c] += shared.sums[other][Pair::kSums * k + c][lane];
                if (first + 32 * k + lane < n) pass.store(group, first + 32 * k + lane, sums[k]);
            }
        block.sync();
    }

  private:
    /// Sources move in words of 16 bytes.
    template <class List>
    __device__ void store(float* to, std::uint32_t group, const List& list, std::uint32_t i) const {
        alignas(16) float words[Pair::kSourceWords];
        pass.load_source(group, list, i, words);
        for (int k = 0; k < Pair::kSourceWords / 4; ++k)
            reinterpret_cast<float4*>(to)[k] = reinterpret_cast<const float4*>(words)[k];
    }
    __device__ static void load(const float* from, float* words) {
        for (int k = 0; k < Pair::kSourceWords / 4; ++k) {
            float4 four = reinterpret_cast<const float4*>(from)[k];
            words[4 * k] = four.x;
            words[4 * k + 1] = four.y;
            words[4 * k + 2] = four.z;
            words[4 * k + 3] = four.w;
        }
    }
#else
    static constexpr std::uint32_t kRegisters = 8;  ///< of targets at a time
    static constexpr std::uint32_t kSources = 64;   ///< at a time

    using Shared = NoShared;

    void operator()(const Block<kThreads>& block, Shared&) const {
        std::uint32_t n = pass.n_targets(block.index);
        for (std::uint32_t first = 0; first < n; first += kRegisters * kLanes)
            sum(block.index, first, n);
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
