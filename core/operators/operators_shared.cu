// The utilities that need no library: one source for both devices, based on the scans.
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {
std::uint32_t count_of(std::size_t size) {
    return static_cast<std::uint32_t>(size);
}
}  // namespace

template <class T>
void fill(Stream& stream, View<T> out, T value) {
    parallel_for(
        stream, "fill", count_of(out.size), TL_LAMBDA(std::uint32_t i) { out[i] = value; });
}

void iota(Stream& stream, View<std::uint32_t> out) {
    parallel_for(
        stream, "iota", count_of(out.size), TL_LAMBDA(std::uint32_t i) { out[i] = i; });
}

template <class T>
void exclusive_scan_tail(Stream& stream, View<const T> in, View<const T> scan, View<T> out,
                         Operator op) {
    std::size_t n = in.size;
    parallel_for(
        stream, "scan tail", 1, TL_LAMBDA(std::uint32_t) {
            out[0] = n == 0 ? identity_of<T>(op) : apply(op, scan[n - 1], in[n - 1]);
        });
}

template <class T>
void inclusive_scan_tail(Stream& stream, View<const T> scan, View<T> out, Operator op) {
    std::size_t n = scan.size;
    parallel_for(
        stream, "scan tail", 1,
        TL_LAMBDA(std::uint32_t) { out[0] = n == 0 ? identity_of<T>(op) : scan[n - 1]; });
}

template <class T>
void segmented_exclusive_scan_tails(Stream& stream, View<const T> in, View<const T> scan,
                                    View<const std::uint32_t> segment_last, View<T> out,
                                    Operator op) {
    parallel_for(
        stream, "segmented scan tails", count_of(out.size), TL_LAMBDA(std::uint32_t s) {
            std::uint32_t last = segment_last[s];
            out[s] = apply(op, scan[last], in[last]);
        });
}

template <class T>
void segmented_inclusive_scan_tails(Stream& stream, View<const T> scan,
                                    View<const std::uint32_t> segment_last, View<T> out) {
    parallel_for(
        stream, "segmented scan tails", count_of(out.size),
        TL_LAMBDA(std::uint32_t s) { out[s] = scan[segment_last[s]]; });
}

template <class T>
void append(Stream& stream, View<T> to, View<std::uint32_t> size, View<const T> in) {
    parallel_for(
        stream, "append", count_of(in.size), TL_LAMBDA(std::uint32_t i) {
            std::size_t at = std::size_t(size[0]) + i;
            if (at < to.size) to[at] = in[i];
        });
    // A separate launch, since every copy above reads the old size.
    parallel_for(
        stream, "append size", 1, TL_LAMBDA(std::uint32_t) {
            std::size_t sum = size[0] + in.size;
            size[0] = static_cast<std::uint32_t>(sum < to.size ? sum : to.size);
        });
}

template <class T>
void partition(Scratch& scratch, View<const T> in, View<const std::uint32_t> flags,
               View<T> out_true, View<T> out_false, View<std::uint32_t> count) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto before = scratch.take<std::uint32_t>(in.size);  // elements with flag 1 before i
    exclusive_scan<std::uint32_t>(scratch, flags, before);
    exclusive_scan_tail<std::uint32_t>(stream, flags, before, count);
    parallel_for(
        stream, "partition", count_of(in.size), TL_LAMBDA(std::uint32_t i) {
            if (flags[i])
                out_true[before[i]] = in[i];
            else
                out_false[i - before[i]] = in[i];
        });
}

template <class T>
void partition(Scratch& scratch, View<const T> in, View<const std::uint32_t> flags, View<T> out,
               View<std::uint32_t> count) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto before = scratch.take<std::uint32_t>(in.size);
    exclusive_scan<std::uint32_t>(scratch, flags, before);
    exclusive_scan_tail<std::uint32_t>(stream, flags, before, count);
    parallel_for(
        stream, "partition", count_of(in.size), TL_LAMBDA(std::uint32_t i) {
            out[flags[i] ? before[i] : count[0] + (i - before[i])] = in[i];
        });
}

template <class T>
void segmented_partition(Scratch& scratch, View<const T> in, View<const std::uint32_t> flags,
                         View<const std::uint32_t> owner, View<T> out, View<std::uint32_t> count) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto before = scratch.take<std::uint32_t>(in.size);
    auto start = scratch.take<std::uint32_t>(count.size);
    auto end = scratch.take<std::uint32_t>(count.size);
    exclusive_scan<std::uint32_t>(scratch, flags, before);
    find_sorted_bounds(stream, owner, start, end);
    parallel_for(
        stream, "segment counts", count_of(count.size), TL_LAMBDA(std::uint32_t s) {
            bool empty = start[s] == end[s];
            count[s] = empty ? 0 : before[end[s] - 1] + flags[end[s] - 1] - before[start[s]];
        });
    parallel_for(
        stream, "segmented partition", count_of(in.size), TL_LAMBDA(std::uint32_t i) {
            std::uint32_t s = owner[i], first = start[s];
            std::uint32_t n_true_before = before[i] - before[first];
            std::uint32_t n_false_before = (i - first) - n_true_before;
            out[first + (flags[i] ? n_true_before : count[s] + n_false_before)] = in[i];
        });
}

void find_sorted_bounds(Stream& stream, View<const std::uint32_t> sorted, View<std::uint32_t> start,
                        View<std::uint32_t> end) {
    TL_ASSERT_OP(start.size, ==, end.size);
    fill<std::uint32_t>(stream, start, 0);
    fill<std::uint32_t>(stream, end, 0);
    std::uint32_t n = count_of(sorted.size);
    parallel_for(
        stream, "find sorted bounds", n, TL_LAMBDA(std::uint32_t i) {
            if (i == 0 || sorted[i - 1] != sorted[i]) start[sorted[i]] = i;
            if (i == n - 1 || sorted[i + 1] != sorted[i]) end[sorted[i]] = i + 1;
        });
}

void create_chunks(Scratch& scratch, View<const std::uint32_t> node_start,
                   View<const std::uint32_t> node_size, std::uint32_t chunk_size,
                   ChunkViews chunks) {
    TL_ASSERT_OP(node_start.size, >=, node_size.size);
    TL_ASSERT_OP(chunk_size, >, 0u);
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    std::uint32_t n_nodes = count_of(node_size.size);
    auto per_node = scratch.take<std::uint32_t>(n_nodes);
    auto first_chunk = scratch.take<std::uint32_t>(n_nodes);
    parallel_for(
        stream, "chunks per node", n_nodes, TL_LAMBDA(std::uint32_t i) {
            per_node[i] = node_size[i] / chunk_size + (node_size[i] % chunk_size != 0);
        });
    exclusive_scan<std::uint32_t>(scratch, per_node, first_chunk);
    exclusive_scan_tail<std::uint32_t>(stream, per_node, first_chunk, chunks.count);
    // One item per chunk: its node is the last one whose first chunk is not after it.
    parallel_for(
        stream, "create chunks", count_of(chunks.owner.size), TL_LAMBDA(std::uint32_t c) {
            if (c >= chunks.count[0]) return;
            std::uint32_t low = 0, high = n_nodes;
            while (high - low > 1) {
                std::uint32_t middle = low + (high - low) / 2;
                (first_chunk[middle] <= c ? low : high) = middle;
            }
            std::uint32_t offset = (c - first_chunk[low]) * chunk_size;
            std::uint32_t left = node_size[low] - offset;
            chunks.owner[c] = low;
            chunks.start[c] = node_start[low] + offset;
            chunks.size[c] = left < chunk_size ? left : chunk_size;
        });
}

#define TL_INSTANTIATE(T)                                                                          \
    template void fill<T>(Stream&, View<T>, T);                                                    \
    template void exclusive_scan_tail<T>(Stream&, View<const T>, View<const T>, View<T>,           \
                                         Operator);                                                \
    template void inclusive_scan_tail<T>(Stream&, View<const T>, View<T>, Operator);               \
    template void segmented_exclusive_scan_tails<T>(Stream&, View<const T>, View<const T>,         \
                                                    View<const std::uint32_t>, View<T>, Operator); \
    template void segmented_inclusive_scan_tails<T>(Stream&, View<const T>,                        \
                                                    View<const std::uint32_t>, View<T>);           \
    template void append<T>(Stream&, View<T>, View<std::uint32_t>, View<const T>);                 \
    template void partition<T>(Scratch&, View<const T>, View<const std::uint32_t>, View<T>,        \
                               View<std::uint32_t>);                                               \
    template void partition<T>(Scratch&, View<const T>, View<const std::uint32_t>, View<T>,        \
                               View<T>, View<std::uint32_t>);                                      \
    template void segmented_partition<T>(Scratch&, View<const T>, View<const std::uint32_t>,       \
                                         View<const std::uint32_t>, View<T>, View<std::uint32_t>);
TL_FOR_OPERATOR_TYPES(TL_INSTANTIATE)

TL_DEVICE_END
