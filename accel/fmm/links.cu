#include "accel/fmm/links.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "accel/parallel/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// Nodes with most links first, so that a device does not end with one of them alone; those with as
/// many as each other by their numbers.
void order_targets(Scratch& scratch, const LinkRows& rows) {
    std::size_t n = rows.order.size;
    Pairs<std::uint32_t> now{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    Pairs<std::uint32_t> spare{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    parallel_for(
        scratch.stream(), "targets of links", static_cast<std::uint32_t>(n),
        TL_LAMBDA(std::uint32_t k) {
            now.keys[k] = ~(rows.begin[k + 1] - rows.begin[k]);
            now.values[k] = k;
        });
    View<const std::uint32_t> sorted = sort_pairs(scratch, now, spare).values;
    parallel_for(
        scratch.stream(), "order of targets", static_cast<std::uint32_t>(n),
        TL_LAMBDA(std::uint32_t i) { rows.order[i] = sorted[i]; });
}

}  // namespace

void make_rows(Scratch& scratch, const LooseLinks& loose, std::uint32_t n_nodes, LinkList& out) {
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    auto n_links = static_cast<std::uint32_t>(loose.pairs.size);
    out.begin.resize_discard(stream, n_nodes + 1);
    out.links.resize_discard(stream, n_links);
    out.order.resize_discard(stream, n_nodes);
    Pairs<std::uint64_t> now{loose.pairs,
                             {reinterpret_cast<std::uint32_t*>(loose.weights.data), n_links}};
    Pairs<std::uint64_t> spare{scratch.take<std::uint64_t>(n_links),
                               scratch.take<std::uint32_t>(n_links)};
    // A stable sort by sources, and then by targets, passes over no more digits than nodes have.
    int n_bits = std::max(1, static_cast<int>(std::bit_width(n_nodes)));
    for (int first_bit : {0, 32}) {
        auto sorted = sort_pairs(scratch, now, spare, first_bit, first_bit + n_bits);
        if (sorted.keys.data != now.keys.data) std::swap(now, spare);
    }
    LinkRows rows = out.view();
    View<const std::uint64_t> pairs = now.keys;
    View<const std::uint32_t> weights = now.values;
    parallel_for(
        stream, "links in rows", n_links, TL_LAMBDA(std::uint32_t i) {
            rows.links[i] = {static_cast<std::uint32_t>(pairs[i]), float_of_bits(weights[i])};
        });
    parallel_for(
        stream, "rows of links", n_nodes + 1, TL_LAMBDA(std::uint32_t target) {
            std::uint32_t first = 0, count = n_links;
            while (count > 0) {
                std::uint32_t half = count / 2;
                bool is_before = static_cast<std::uint32_t>(pairs[first + half] >> 32) < target;
                first = is_before ? first + half + 1 : first;
                count = is_before ? count - half - 1 : half;
            }
            rows.begin[target] = first;
        });
    order_targets(scratch, out.view());
}

TL_DEVICE_END
