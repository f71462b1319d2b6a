#include "accel/fmm/links.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/error.h"
#include "core/device/atomics.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// Orders nodes by descending number of links, then by index, so that a device does not end with
/// one large node alone.
void order_targets(Scratch& scratch, const LinkRows& rows) {
    Scratch::Scope scope(scratch);
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

/// Sorts links by target, then by source, into `out`; overwrites `loose`. Returns the sorted pairs.
View<const std::uint64_t> sort_links(Scratch& scratch, const LooseLinks& loose,
                                     std::uint32_t n_nodes, View<NodeLink> out) {
    auto n_links = static_cast<std::uint32_t>(loose.pairs.size);
    Pairs<std::uint64_t> now{loose.pairs,
                             {reinterpret_cast<std::uint32_t*>(loose.weights.data), n_links}};
    Pairs<std::uint64_t> spare{scratch.take<std::uint64_t>(n_links),
                               scratch.take<std::uint32_t>(n_links)};
    // A stable sort by sources, then by targets, over only the bits that node indices have.
    int n_bits = std::max(1, static_cast<int>(std::bit_width(n_nodes)));
    for (int first_bit : {0, 32}) {
        auto sorted = sort_pairs(scratch, now, spare, first_bit, first_bit + n_bits);
        if (sorted.keys.data != now.keys.data) std::swap(now, spare);
    }
    View<const std::uint64_t> pairs = now.keys;
    View<const std::uint32_t> weights = now.values;
    parallel_for(
        scratch.stream(), "links in rows", n_links, TL_LAMBDA(std::uint32_t i) {
            out[i] = {static_cast<std::uint32_t>(pairs[i]), float_of_bits(weights[i])};
        });
    return pairs;
}

/// Exclusive prefix sum: begin[t] becomes the number of links of the nodes before t. Waits, and
/// returns the total.
std::uint32_t count_links(Scratch& scratch, std::span<const WeightedPairs> parts,
                          View<std::uint32_t> begin) {
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    auto counts = scratch.take<std::uint32_t>(begin.size);
    stream.device().fill_zero(stream, counts.data, counts.size * sizeof(std::uint32_t));
    for (auto& part : parts) {
        View<const std::uint64_t> pairs = part.pairs;
        parallel_for(
            stream, "count links", static_cast<std::uint32_t>(pairs.size),
            TL_LAMBDA(std::uint32_t i) {
                auto a = static_cast<std::uint32_t>(pairs[i] >> 32),
                     b = static_cast<std::uint32_t>(pairs[i]);
                atomic_add(&counts[a], 1u);
                if (a != b) atomic_add(&counts[b], 1u);
            });
    }
    exclusive_scan<std::uint32_t>(scratch, counts, begin);
    std::uint32_t n_links = 0;
    stream.device().download(stream, &n_links, &begin[begin.size - 1], sizeof n_links);
    return n_links;
}

/// The links of the targets [first, end), both of which may be those of a pair.
struct TakeLinks {
    View<const std::uint64_t> pairs;
    View<const float> weights;
    std::uint32_t first, end;
    LooseLinks out;
    std::uint32_t* count;

    TL_D void operator()(std::uint32_t i) const {
        auto a = static_cast<std::uint32_t>(pairs[i] >> 32),
             b = static_cast<std::uint32_t>(pairs[i]);
        bool has_a = first <= a && a < end, has_b = a != b && first <= b && b < end;
        if (!has_a && !has_b) return;
        std::uint32_t at = atomic_add(count, has_a && has_b ? 2u : 1u);
        if (has_a) put(at++, a, b, weights[i]);
        if (has_b) put(at, b, a, weights[i]);
    }
    TL_D void put(std::uint32_t at, std::uint32_t target, std::uint32_t source,
                  float weight) const {
        out.pairs[at] = LooseLinks::pair_of(target, source);
        out.weights[at] = weight;
    }
};

}  // namespace

void make_rows(Scratch& scratch, const LooseLinks& loose, std::uint32_t n_nodes, LinkList& out) {
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    auto n_links = static_cast<std::uint32_t>(loose.pairs.size);
    out.begin.resize_discard(stream, n_nodes + 1);
    out.links.resize_discard(stream, n_links);
    out.order.resize_discard(stream, n_nodes);
    LinkRows rows = out.view();
    View<const std::uint64_t> pairs = sort_links(scratch, loose, n_nodes, rows.links);
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

void make_rows_both_ways(Scratch& scratch, std::span<const WeightedPairs> parts,
                         std::uint32_t n_nodes, std::uint32_t batch, LinkList& out) {
    Stream& stream = scratch.stream();
    std::uint64_t most = 0;
    for (auto& part : parts) most += 2 * part.pairs.size;
    if (most > UINT32_MAX)
        throw UserError(
            "more than four billion links between groups of points; ask for fewer "
            "points or a larger error");
    out.begin.resize_discard(stream, n_nodes + 1);
    std::uint32_t n_links = count_links(scratch, parts, out.begin.view());
    out.links.resize_discard(stream, n_links);
    out.order.resize_discard(stream, n_nodes);
    LinkRows rows = out.view();
    auto begin_of = [&](std::uint32_t target) {
        std::uint32_t begin = 0;
        stream.device().download(stream, &begin, &rows.begin[target], sizeof begin);
        return begin;
    };
    for (std::uint32_t first = 0, done = 0; done < n_links;) {
        // The most targets with `batch` links together, but at least one.
        std::uint32_t end = n_nodes;
        if (n_links - done > batch)
            for (std::uint32_t low = first + 1; low < end;) {
                std::uint32_t middle = low + (end - low + 1) / 2;
                if (begin_of(middle) - done <= batch)
                    low = middle;
                else
                    end = middle - 1;
            }
        std::uint32_t n = (end == n_nodes ? n_links : begin_of(end)) - done;
        Scratch::Scope scope(scratch);
        LooseLinks loose{scratch.take<std::uint64_t>(n), scratch.take<float>(n)};
        auto count = scratch.take<std::uint32_t>(1);
        stream.device().fill_zero(stream, count.data, sizeof(std::uint32_t));
        for (auto& part : parts) {
            TakeLinks take{part.pairs, part.weights, first, end, loose, count.data};
            parallel_for(
                stream, "both directions", static_cast<std::uint32_t>(part.pairs.size),
                TL_LAMBDA(std::uint32_t i) { take(i); });
        }
        (void)sort_links(scratch, loose, n_nodes, {rows.links.data + done, n});
        first = end;
        done += n;
    }
    order_targets(scratch, rows);
}

TL_DEVICE_END
