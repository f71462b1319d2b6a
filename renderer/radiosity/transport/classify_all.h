// Launches that classify the pairs of nodes of a queue, in each way of giving pairs to threads
// (LinkThreads).
#pragma once

#include "core/device/parallel_for.h"
#include "core/device/team.h"
#include "renderer/radiosity/transport/classify_pairs.h"

TL_DEVICE_BEGIN

/// Whether pairs are distributed by their first nodes.
inline bool is_by_nodes(LinkThreads threads) {
    return threads == LinkThreads::nodes || threads == LinkThreads::teams;
}

/// Classifies all pairs of a queue, in parallel as `threads` selects. If is_by_nodes() the queue
/// must be sorted by the pairs' first nodes.
template <class Look>
void classify_all(Scratch& scratch, const Look& look, std::uint32_t n_nodes, LinkThreads threads) {
    constexpr int kBlocks = Look::kResidentBlocks;
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(look.queue.size);
    if (threads == LinkThreads::pairs || (threads == LinkThreads::pair_teams && !Look::kSharesRays))
        return parallel_for<kBlocks>(
            stream, "pairs of nodes", n, TL_LAMBDA(std::uint32_t i) { look(i); }, 16);
    if constexpr (Look::kSharesRays)
        if (threads == LinkThreads::pair_teams)
            return parallel_for<kBlocks>(
                stream, "teams of pairs", n * PairTeam::kThreads,
                TL_LAMBDA(std::uint32_t thread) {
                    look.classify(PairTeam(), thread / PairTeam::kThreads);
                },
                16);
    Scratch::Scope scope(scratch);
    auto begin = scratch.take<std::uint32_t>(n_nodes + 1);
    View<const std::uint64_t> queue = look.queue;
    parallel_for(
        stream, "pairs of each node", n_nodes + 1, TL_LAMBDA(std::uint32_t node) {
            std::uint32_t first = 0, count = n;
            while (count > 0) {
                std::uint32_t half = count / 2;
                bool is_before = NodePair(queue[first + half]).a < node;
                first = is_before ? first + half + 1 : first;
                count = is_before ? count - half - 1 : half;
            }
            begin[node] = first;
        });
    if (threads == LinkThreads::nodes)
        return parallel_for<kBlocks>(
            stream, "nodes", n_nodes,
            TL_LAMBDA(std::uint32_t node) {
                for (std::uint32_t i = begin[node]; i < begin[node + 1]; ++i) look(i);
            },
            16);
    for_each_team(
        stream, "teams of nodes", n_nodes, TL_LAMBDA(const Team&, std::uint32_t node) {
            for (std::uint32_t i = begin[node] + Team::rank(); i < begin[node + 1];
                 i += Team::kThreads)
                look(i);
        });
}

TL_DEVICE_END
