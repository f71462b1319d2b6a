// Compares every utility of core/operators with a plain loop, on both devices, for all test sizes.
#include <algorithm>
#include <numeric>
#include <random>

#include "core/operators/operators.h"
#include "core/operators/sort_keys.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

using Indices = std::vector<std::uint32_t>;
constexpr Operator kOperators[] = {Operator::sum, Operator::minimum, Operator::maximum};

/// Small whole numbers: sums of a million of them are exact in every tested type.
template <class T>
std::vector<T> random_values(std::size_t n, unsigned limit = 8, unsigned seed = 1) {
    std::mt19937 engine(seed);
    std::vector<T> values(n);
    for (auto& value : values) value = static_cast<T>(engine() % limit);
    return values;
}

/// Non-decreasing owners below `n_segments`, with gaps.
Indices random_owners(std::size_t n, std::uint32_t n_segments) {
    Indices owners = random_values<std::uint32_t>(n, n_segments, 2);
    for (auto& owner : owners) owner = owner / 3 * 3;  // two of three segments stay empty
    std::sort(owners.begin(), owners.end());
    return owners;
}

template <class T>
DeviceArray<T> on_device(Stream& stream, const std::vector<T>& host) {
    return DeviceArray<T>(stream, std::span<const T>(host));
}

template <class T>
std::vector<T> loop_scan(const std::vector<T>& in, const Indices& heads, Operator op,
                         bool inclusive) {
    std::vector<T> out(in.size());
    T value = identity_of<T>(op);
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (!heads.empty() && heads[i]) value = identity_of<T>(op);
        T next = apply(op, value, in[i]);
        out[i] = inclusive ? next : value;
        value = next;
    }
    return out;
}

template <class T>
void check_reduce(Stream& stream, Scratch& scratch) {
    for (std::size_t n : test::sizes())
        for (Operator op : kOperators) {
            auto host = random_values<T>(n);
            T expected = identity_of<T>(op);
            for (T value : host) expected = apply(op, expected, value);
            auto in = on_device(stream, host);
            DeviceArray<T> out(stream, 1);
            reduce<T>(scratch, in.view(), out.view(), op);
            ASSERT_EQ(out.download(stream)[0], expected) << n << " op " << int(op);
        }
}

template <class T>
void check_segmented_reduce(Stream& stream, Scratch& scratch) {
    for (std::size_t n : test::sizes())
        for (Operator op : kOperators) {
            std::uint32_t n_segments = 40;
            auto host = random_values<T>(n);
            auto owners = random_owners(n, n_segments);
            std::vector<T> expected(n_segments, identity_of<T>(op));
            for (std::size_t i = 0; i < n; ++i)
                expected[owners[i]] = apply(op, expected[owners[i]], host[i]);
            auto in = on_device(stream, host);
            auto owner = on_device(stream, owners);
            DeviceArray<T> out(stream, n_segments);
            segmented_reduce<T>(scratch, in.view(), owner.view(), out.view(), op);
            ASSERT_EQ(out.download(stream), expected) << n << " op " << int(op);
        }
}

template <class T>
void check_scans(Stream& stream, Scratch& scratch) {
    for (std::size_t n : test::sizes())
        for (Operator op : kOperators)
            for (bool backward : {false, true})
                for (bool inclusive : {false, true}) {
                    auto host = random_values<T>(n);
                    auto in = on_device(stream, host);
                    DeviceArray<T> out(stream, n);
                    auto direction = backward ? Direction::backward : Direction::forward;
                    if (inclusive)
                        inclusive_scan<T>(scratch, in.view(), out.view(), op, direction);
                    else
                        exclusive_scan<T>(scratch, in.view(), out.view(), op, direction);
                    if (backward) std::reverse(host.begin(), host.end());
                    auto expected = loop_scan(host, {}, op, inclusive);
                    if (backward) std::reverse(expected.begin(), expected.end());
                    ASSERT_EQ(out.download(stream), expected)
                        << n << " op " << int(op) << (backward ? " backward" : " forward")
                        << (inclusive ? " inclusive" : " exclusive");
                }
}

template <class T>
void check_segmented_scans(Stream& stream, Scratch& scratch) {
    for (std::size_t n : test::sizes())
        for (Operator op : kOperators)
            for (bool inclusive : {false, true}) {
                auto host = random_values<T>(n);
                auto heads = random_values<std::uint32_t>(n, 50, 3);
                for (auto& head : heads) head = head == 0;
                auto in = on_device(stream, host);
                auto flags = on_device(stream, heads);
                DeviceArray<T> out(stream, n);
                if (inclusive)
                    segmented_inclusive_scan<T>(scratch, in.view(), flags.view(), out.view(), op);
                else
                    segmented_exclusive_scan<T>(scratch, in.view(), flags.view(), out.view(), op);
                ASSERT_EQ(out.download(stream), loop_scan(host, heads, op, inclusive))
                    << n << " op " << int(op);
            }
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Operators, ReduceFoldsEverything) {
    check_reduce<std::uint32_t>(stream, scratch);
    check_reduce<std::uint64_t>(stream, scratch);
    check_reduce<float>(stream, scratch);
}

TL_DEVICE_TEST(Operators, SegmentedReduceGivesEmptySegmentsTheIdentity) {
    check_segmented_reduce<std::uint32_t>(stream, scratch);
    check_segmented_reduce<std::uint64_t>(stream, scratch);
    check_segmented_reduce<float>(stream, scratch);
}

TL_DEVICE_TEST(Operators, ScansMatchALoopInBothDirections) {
    check_scans<std::uint32_t>(stream, scratch);
    check_scans<std::uint64_t>(stream, scratch);
    check_scans<float>(stream, scratch);
}

TL_DEVICE_TEST(Operators, ScansWorkInPlace) {
    for (std::size_t n : test::sizes()) {
        auto host = random_values<std::uint32_t>(n);
        auto data = on_device(stream, host);
        exclusive_scan<std::uint32_t>(scratch, data.view(), data.view());
        ASSERT_EQ(data.download(stream), loop_scan(host, {}, Operator::sum, false)) << n;
    }
}

TL_DEVICE_TEST(Operators, SegmentedScansStartAnewAtHeads) {
    check_segmented_scans<std::uint32_t>(stream, scratch);
    check_segmented_scans<std::uint64_t>(stream, scratch);
    check_segmented_scans<float>(stream, scratch);
}

TL_DEVICE_TEST(Operators, ScanTailsAreTheReduction) {
    for (std::size_t n : test::sizes())
        for (Operator op : kOperators) {
            auto host = random_values<std::uint32_t>(n);
            auto in = on_device(stream, host);
            std::uint32_t expected = identity_of<std::uint32_t>(op);
            for (auto value : host) expected = apply(op, expected, value);
            DeviceArray<std::uint32_t> scan(stream, n), tail(stream, 1);
            View<const std::uint32_t> scanned = scan.view();
            exclusive_scan<std::uint32_t>(scratch, in.view(), scan.view(), op);
            exclusive_scan_tail<std::uint32_t>(stream, in.view(), scanned, tail.view(), op);
            ASSERT_EQ(tail.download(stream)[0], expected) << n;
            inclusive_scan<std::uint32_t>(scratch, in.view(), scan.view(), op);
            inclusive_scan_tail<std::uint32_t>(stream, scanned, tail.view(), op);
            ASSERT_EQ(tail.download(stream)[0], expected) << n;
        }
}

TL_DEVICE_TEST(Operators, SegmentedScanTailsAreTheSegmentsReductions) {
    Indices host = random_values<std::uint32_t>(1000), heads(1000, 0);
    Indices last{0, 30, 31, 499, 999};
    heads[0] = 1;
    for (std::size_t s = 0; s + 1 < last.size(); ++s) heads[last[s] + 1] = 1;
    Indices expected;
    for (std::size_t s = 0, first = 0; s < last.size(); first = last[s++] + 1)
        expected.push_back(std::accumulate(&host[first], &host[last[s]] + 1, 0u));
    auto in = on_device(stream, host), flags = on_device(stream, heads),
         ends = on_device(stream, last);
    DeviceArray<std::uint32_t> scan(stream, 1000), tails(stream, last.size());
    View<const std::uint32_t> scanned = scan.view();
    segmented_exclusive_scan<std::uint32_t>(scratch, in.view(), flags.view(), scan.view());
    segmented_exclusive_scan_tails<std::uint32_t>(stream, in.view(), scanned, ends.view(),
                                                  tails.view());
    EXPECT_EQ(tails.download(stream), expected);
    segmented_inclusive_scan<std::uint32_t>(scratch, in.view(), flags.view(), scan.view());
    segmented_inclusive_scan_tails<std::uint32_t>(stream, scanned, ends.view(), tails.view());
    EXPECT_EQ(tails.download(stream), expected);
}

TL_DEVICE_TEST(Operators, AppendStopsAtTheRoomThereIs) {
    for (std::size_t n : test::sizes()) {
        auto host = random_values<float>(n);
        auto in = on_device(stream, host);
        DeviceArray<float> to(stream, n + n / 2);
        auto size = on_device<std::uint32_t>(stream, {0});
        append<float>(stream, to.view(), size.view(), in.view());
        append<float>(stream, to.view(), size.view(), in.view());
        std::vector<float> expected = host;
        expected.insert(expected.end(), host.begin(), host.begin() + std::ptrdiff_t(n / 2));
        ASSERT_EQ(size.download(stream)[0], expected.size()) << n;
        ASSERT_EQ(to.download(stream), expected) << n;
    }
}

TL_DEVICE_TEST(Operators, CompactKeepsFlaggedElementsInOrder) {
    for (std::size_t n : test::sizes()) {
        auto host = random_values<std::uint64_t>(n, 1u << 30);
        auto flags = random_values<std::uint32_t>(n, 2, 5);
        std::vector<std::uint64_t> expected;
        for (std::size_t i = 0; i < n; ++i)
            if (flags[i]) expected.push_back(host[i]);
        auto in = on_device(stream, host);
        auto chosen = on_device(stream, flags);
        DeviceArray<std::uint64_t> out(stream, expected.size());
        DeviceArray<std::uint32_t> count(stream, 1);
        compact<std::uint64_t>(scratch, in.view(), chosen.view(), out.view(), count.view());
        ASSERT_EQ(count.download(stream)[0], expected.size()) << n;
        ASSERT_EQ(out.download(stream), expected) << n;
    }
}

TL_DEVICE_TEST(Operators, PartitionIsStableOnBothSides) {
    for (std::size_t n : test::sizes()) {
        Indices host(n), flags = random_values<std::uint32_t>(n, 2, 6);
        std::iota(host.begin(), host.end(), 0);
        Indices yes, no;
        for (std::size_t i = 0; i < n; ++i) (flags[i] ? yes : no).push_back(host[i]);
        auto in = on_device(stream, host), chosen = on_device(stream, flags);
        DeviceArray<std::uint32_t> one(stream, n), out_yes(stream, yes.size()),
            out_no(stream, no.size()), count(stream, 1);
        partition<std::uint32_t>(scratch, in.view(), chosen.view(), out_yes.view(), out_no.view(),
                                 count.view());
        ASSERT_EQ(out_yes.download(stream), yes) << n;
        ASSERT_EQ(out_no.download(stream), no) << n;
        partition<std::uint32_t>(scratch, in.view(), chosen.view(), one.view(), count.view());
        ASSERT_EQ(count.download(stream)[0], yes.size()) << n;
        yes.insert(yes.end(), no.begin(), no.end());
        ASSERT_EQ(one.download(stream), yes) << n;
    }
}

TL_DEVICE_TEST(Operators, SegmentedPartitionStaysInItsSegments) {
    for (std::size_t n : test::sizes()) {
        std::uint32_t n_segments = 40;
        Indices host(n), flags = random_values<std::uint32_t>(n, 2, 7);
        std::iota(host.begin(), host.end(), 0);
        auto owners = random_owners(n, n_segments);
        Indices expected, counts(n_segments, 0);
        for (std::uint32_t s = 0; s < n_segments; ++s)
            for (std::uint32_t wanted : {1u, 0u})
                for (std::size_t i = 0; i < n; ++i)
                    if (owners[i] == s && flags[i] == wanted) {
                        expected.push_back(host[i]);
                        counts[s] += wanted;
                    }
        auto in = on_device(stream, host), chosen = on_device(stream, flags),
             owner = on_device(stream, owners);
        DeviceArray<std::uint32_t> out(stream, n), count(stream, n_segments);
        segmented_partition<std::uint32_t>(scratch, in.view(), chosen.view(), owner.view(),
                                           out.view(), count.view());
        ASSERT_EQ(out.download(stream), expected) << n;
        ASSERT_EQ(count.download(stream), counts) << n;
    }
}

namespace tl::TL_DEVICE_NAME {
template <class K>
void check_sort(Stream& stream, Scratch& scratch, int begin_bit, int end_bit) {
    for (std::size_t n : test::sizes()) {
        std::mt19937_64 engine(n + 11);
        std::vector<K> host(n);
        for (auto& key : host)
            key = static_cast<K>(engine()) & ~K(0) >> (engine() % 40 % (8 * sizeof(K)));
        Indices places(n);
        std::iota(places.begin(), places.end(), 0);
        K bits = end_bit - begin_bit == 8 * sizeof(K) ? ~K(0) : (K(1) << (end_bit - begin_bit)) - 1;
        Indices expected = places;
        std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
            return (host[a] >> begin_bit & bits) < (host[b] >> begin_bit & bits);
        });
        auto keys = on_device(stream, host);
        auto values = on_device(stream, places);
        DeviceArray<K> keys_out(stream, n);
        DeviceArray<std::uint32_t> values_out(stream, n);
        auto result = sort_pairs<K>(scratch, {keys.view(), values.view()},
                                    {keys_out.view(), values_out.view()}, begin_bit, end_bit);
        bool in_spare = n > 0 && result.keys.data == keys_out.data();
        ASSERT_EQ(in_spare, n > 0 && result.values.data == values_out.data());
        ASSERT_EQ((in_spare ? values_out : values).download(stream), expected) << n;
        auto sorted = (in_spare ? keys_out : keys).download(stream);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i], host[expected[i]]) << n;
    }
}
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Operators, SortPairsIsStableOnAnyRangeOfBits) {
    check_sort<std::uint32_t>(stream, scratch, 0, 32);
    check_sort<std::uint32_t>(stream, scratch, 3, 17);
    check_sort<std::uint64_t>(stream, scratch, 0, 64);
    check_sort<std::uint64_t>(stream, scratch, 0, 63);
    check_sort<std::uint64_t>(stream, scratch, 30, 41);
}

TL_DEVICE_TEST(Operators, SortKeysIsStableOnAnyRangeOfBits) {
    std::mt19937_64 engine(5);
    for (std::size_t n : test::sizes())
        for (auto [begin, end] : {std::pair(0, 64), std::pair(24, 61), std::pair(30, 41)}) {
            std::vector<std::uint64_t> host(n);
            for (auto& key : host) key = engine();
            DeviceArray<std::uint64_t> keys(stream, std::span<const std::uint64_t>(host));
            DeviceArray<std::uint64_t> spare(stream, n);
            auto sorted = sort_keys(scratch, keys.view(), spare.view(), begin, end);
            auto part = [=](std::uint64_t key) { return key << (64 - end) >> (64 - end + begin); };
            std::ranges::stable_sort(host, {}, part);
            bool in_spare = n > 0 && sorted.data == spare.data();
            ASSERT_EQ((in_spare ? spare : keys).download(stream), host) << n;
        }
}

TL_DEVICE_TEST(Operators, SortedBoundsAreZeroWhereAValueIsAbsent) {
    for (std::size_t n : test::sizes()) {
        std::uint32_t n_values = 40;
        auto host = random_owners(n, n_values);
        Indices start(n_values, 0), end(n_values, 0);
        for (std::uint32_t v = 0; v < n_values; ++v) {
            auto range = std::equal_range(host.begin(), host.end(), v);
            if (range.first == range.second) continue;
            start[v] = std::uint32_t(range.first - host.begin());
            end[v] = std::uint32_t(range.second - host.begin());
        }
        auto sorted = on_device(stream, host);
        DeviceArray<std::uint32_t> out_start(stream, n_values), out_end(stream, n_values);
        find_sorted_bounds(stream, sorted.view(), out_start.view(), out_end.view());
        ASSERT_EQ(out_start.download(stream), start) << n;
        ASSERT_EQ(out_end.download(stream), end) << n;
    }
}

TL_DEVICE_TEST(Operators, ChunksCutNodesInOrder) {
    constexpr std::uint32_t kChunk = 256;
    for (std::size_t n : {0, 1, 2, 31, 32, 33, 1000, 20000}) {
        Indices sizes = random_values<std::uint32_t>(n, 900, 8), starts(n);
        for (std::size_t i = 0; i < n; i += 7) sizes[i] = i % 2 ? 0 : kChunk;
        std::exclusive_scan(sizes.begin(), sizes.end(), starts.begin(), 100u);
        Indices owner, start, size;
        for (std::uint32_t i = 0; i < n; ++i)
            for (std::uint32_t at = 0; at < sizes[i]; at += kChunk) {
                owner.push_back(i);
                start.push_back(starts[i] + at);
                size.push_back(std::min(kChunk, sizes[i] - at));
            }
        auto node_start = on_device(stream, starts), node_size = on_device(stream, sizes);
        std::size_t m = owner.size();
        DeviceArray<std::uint32_t> out_owner(stream, m), out_start(stream, m), out_size(stream, m),
            count(stream, 1);
        create_chunks(scratch, node_start.view(), node_size.view(), kChunk,
                      {out_owner.view(), out_start.view(), out_size.view(), count.view()});
        ASSERT_EQ(count.download(stream)[0], m) << n;
        ASSERT_EQ(out_owner.download(stream), owner) << n;
        ASSERT_EQ(out_start.download(stream), start) << n;
        ASSERT_EQ(out_size.download(stream), size) << n;
    }
}

TL_DEVICE_TEST(Operators, FillAndIotaReachEveryElement) {
    for (std::size_t n : test::sizes()) {
        DeviceArray<std::uint32_t> out(stream, n);
        Indices expected(n);
        iota(stream, out.view());
        std::iota(expected.begin(), expected.end(), 0);
        ASSERT_EQ(out.download(stream), expected) << n;
        fill<std::uint32_t>(stream, out.view(), 7);
        ASSERT_EQ(out.download(stream), Indices(n, 7)) << n;
    }
}
