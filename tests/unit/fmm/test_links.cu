// Links between nodes cover every pair of leaves exactly once.
#include <map>
#include <random>

#include "tests/device_test.h"
#include "tests/unit/fmm/fmm_cases.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// Number of times that each pair of leaves is covered, by leaf numbers.
struct Coverage {
    std::vector<std::uint32_t> leaves;  ///< node indices
    std::vector<int> times;

    template <class Value>
    Coverage(Stream& stream, test::SumCase<Value>& sums) : host_(sums.host) {
        for (std::uint32_t k = 0; k < host_.nodes.size(); ++k)
            if (host_.nodes[k].is_leaf()) leaves.push_back(k);
        times.resize(leaves.size() * leaves.size());
        for (auto* list : {&sums.links.far, &sums.links.near}) {
            auto begin = list->begin.download(stream);
            auto links = list->links.download(stream);
            EXPECT_EQ(begin.size(), host_.nodes.size() + 1);
            EXPECT_EQ(begin.back(), links.size());
            for (std::uint32_t k = 0; k < host_.nodes.size(); ++k)
                for (std::uint32_t i = begin[k]; i < begin[k + 1]; ++i) {
                    EXPECT_EQ(links[i].weight, 1);
                    if (i > begin[k]) {
                        EXPECT_LT(links[i - 1].source, links[i].source);
                    }
                    if (list == &sums.links.near) {
                        EXPECT_TRUE(host_.nodes[k].is_leaf() &&
                                    host_.nodes[links[i].source].is_leaf());
                    }
                    cover(k, links[i].source);
                }
        }
    }
    [[nodiscard]] int of(std::size_t target, std::size_t source) const {
        return times[target * leaves.size() + source];
    }

  private:
    [[nodiscard]] bool is_within(std::uint32_t leaf, std::uint32_t node) const {
        return host_.nodes[node].first <= host_.nodes[leaf].first &&
               host_.nodes[leaf].end <= host_.nodes[node].end;
    }
    void cover(std::uint32_t target, std::uint32_t source) {
        for (std::size_t t = 0; t < leaves.size(); ++t) {
            if (!is_within(leaves[t], target)) continue;
            for (std::size_t s = 0; s < leaves.size(); ++s)
                times[t * leaves.size() + s] += is_within(leaves[s], source);
        }
    }

    const test::HostOctree& host_;
};

}  // namespace

TL_DEVICE_TEST(Links, CoverEveryPairOfLeavesOnce) {
    for (std::string shape : {"cube", "sphere", "clusters", "line", "one place", "nowhere"})
        for (float theta : {0.3f, 0.8f}) {
            SCOPED_TRACE(shape);
            test::SumCase<float> sums(stream, scratch, test::surfels_of(shape, 700), 16);
            LinkConfig config;
            config.theta = theta;
            auto found = sums.find_links(config);
            EXPECT_EQ(found.far, sums.links.far.links.size());
            Coverage coverage(stream, sums);
            EXPECT_TRUE(std::ranges::all_of(coverage.times, [](int n) { return n == 1; }));
        }
}

TL_DEVICE_TEST(Links, LeaveOutOnlyWhatDoesNotFace) {
    for (std::string shape : {"sphere", "box"}) {
        SCOPED_TRACE(shape);
        test::SumCase<vec3> sums(stream, scratch, test::shaped(shape, 1500), 16);
        LinkConfig config;
        config.slack = 1e-3f;
        config.theta = 0.7f;
        sums.find_links(config);
        Coverage coverage(stream, sums);
        std::size_t n_dropped = 0;
        for (std::size_t t = 0; t < coverage.leaves.size(); ++t)
            for (std::size_t s = 0; s < coverage.leaves.size(); ++s) {
                ASSERT_LE(coverage.of(t, s), 1);
                if (coverage.of(t, s) == 1) continue;
                ++n_dropped;
                // At one of the ends all cosines are at most the slack. It is relative to the
                // distance of the nodes, which may exceed that of their points.
                auto& target = sums.host.nodes[coverage.leaves[t]];
                auto& source = sums.host.nodes[coverage.leaves[s]];
                float at_target = -1, at_source = -1;
                for (std::uint32_t i = target.first; i < target.end; ++i)
                    for (std::uint32_t j = source.first; j < source.end; ++j) {
                        auto &x = sums.host.points[i], &y = sums.host.points[j];
                        vec3 d = y.position - x.position;
                        at_target = std::max(at_target, glm::dot(x.normal, d));
                        at_source = std::max(at_source, -glm::dot(y.normal, d));
                    }
                EXPECT_LE(std::min(at_target, at_source), config.slack * 8);
            }
        // On a sphere all points face all others, but a leaf's only point itself.
        if (shape == "box")
            EXPECT_GT(n_dropped, coverage.leaves.size());
        else
            EXPECT_LE(n_dropped, coverage.leaves.size());
    }
}

TL_DEVICE_TEST(Links, OfManyPairsAreSortedAPartAtATime) {
    constexpr std::uint32_t kNodes = 300;
    std::mt19937 engine(5);
    // indexed by target and source
    std::map<std::pair<std::uint32_t, std::uint32_t>, float> wanted;
    std::vector<std::uint64_t> pairs[2];
    std::vector<float> weights[2];
    for (std::uint32_t a = 0; a < kNodes; ++a)
        for (std::uint32_t b = a; b < kNodes; ++b) {
            bool is_busy = a == 17 || b == 17;  // one node with more links than are sorted together
            if (!is_busy && engine() % 40 != 0) continue;
            auto weight = float(engine() % 1000);
            wanted[{a, b}] = wanted[{b, a}] = weight;
            std::size_t part = engine() % 2;
            pairs[part].push_back(LooseLinks::pair_of(a, b));
            weights[part].push_back(weight);
        }
    std::vector<DeviceArray<std::uint64_t>> pairs_there;
    std::vector<DeviceArray<float>> weights_there;
    std::vector<WeightedPairs> parts;
    for (int part = 0; part < 2; ++part) {
        pairs_there.emplace_back(stream, std::span<const std::uint64_t>(pairs[part]));
        weights_there.emplace_back(stream, std::span<const float>(weights[part]));
        parts.push_back({pairs_there.back().view(), weights_there.back().view()});
    }
    for (std::uint32_t at_once : {100u, 1000u, WeightedPairs::kBatch}) {
        SCOPED_TRACE(at_once);
        LinkList rows;
        TL_DISPATCH(stream.device(), make_rows_both_ways(scratch, parts, kNodes, at_once, rows));
        auto begin = rows.begin.download(stream);
        auto links = rows.links.download(stream);
        ASSERT_EQ(links.size(), wanted.size());
        ASSERT_EQ(begin.back(), links.size());
        auto next = wanted.begin();
        for (std::uint32_t t = 0; t < kNodes; ++t)
            for (std::uint32_t k = begin[t]; k < begin[t + 1]; ++k, ++next) {
                ASSERT_EQ(next->first, std::pair(t, links[k].source));
                ASSERT_EQ(next->second, links[k].weight);
            }
    }
}

TL_DEVICE_TEST(Links, AreSearchedAgainWithMoreRoom) {
    test::SumCase<float> sums(stream, scratch, test::surfels_of("cube", 600), 4);
    LinkConfig config;
    config.few.of_whole = 1u << 30;
    auto found = sums.find_links(config);
    EXPECT_GT(found.near, std::uint64_t(sums.host.header.n_nodes) * 16 + 64);
    Coverage coverage(stream, sums);
    EXPECT_TRUE(std::ranges::all_of(coverage.times, [](int n) { return n == 1; }));
}

}  // namespace tl::TL_DEVICE_NAME
