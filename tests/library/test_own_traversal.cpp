// Traversal by a program's own leaf tests (treelight_traversal.h) against the library's queries.
#include <gtest/gtest.h>

#include <set>

#include "library/api/treelight_traversal.h"
#include "tests/library/tree_fixture.h"

namespace tl::own_traversal_tests {

using namespace test;

class OwnTraversal : public TreeTest {};

treelight::TreeView view_of(const TreeOwner& tree) {
    tl_tree_nodes nodes{};
    EXPECT_EQ(tl_tree_pointers(tree.get(), &nodes), TL_OK) << tl_last_error();
    return treelight::TreeView(nodes);
}

TEST_P(OwnTraversal, FindsWhatQueriesFind) {
    for (const char* builder : {"binned", "hploc", "lbvh"}) {
        const auto mesh = random_soup(500, 0, 1, 201);
        auto tree = tree_of(mesh, {{"builder", builder}});
        const auto view = view_of(tree);
        constexpr std::size_t kN = 300;
        const auto origins = points_about({0, 1}, kN, 202);
        auto directions = points_about({0, 1}, kN, 203);
        for (std::size_t i = 0; i < 3 * kN; ++i) directions[i] -= origins[i];
        std::vector<float> distances(kN);
        const auto in = packed(origins);
        const tl_closest_points closest{sizeof(tl_closest_points), distances.data(), nullptr,
                                        nullptr, nullptr};
        ASSERT_EQ(tl_tree_closest_point(tree.get(), &in, kN, kInf, &closest, nullptr), TL_OK);
        std::vector<float> t(kN);
        tl_rays rays{};
        rays.count = kN;
        rays.origins = in;
        rays.directions = packed(directions);
        const tl_hits hits{sizeof(tl_hits), t.data(), nullptr, nullptr, nullptr, nullptr};
        ASSERT_EQ(tl_tree_closest(tree.get(), &rays, &hits, nullptr), TL_OK);
        for (std::size_t i = 0; i < kN - 2; ++i) {
            const Point p = point_at(origins, i), d = point_at(directions, i);
            float square = kInf, t_max = kInf;
            int n_visited = 0;
            treelight::for_each_near(view, &origins[3 * i], square, [&](std::uint32_t f) {
                double distance = distance_to(p, mesh.corners(f));
                square = std::min(square, static_cast<float>(distance * distance));
                ++n_visited;
                return true;
            });
            ASSERT_NEAR(std::sqrt(square), distances[i], 1e-5);
            ASSERT_LT(n_visited, 250);
            bool is_clear = true;
            treelight::for_each_on_ray(view, &origins[3 * i], &directions[3 * i], 0.0f, t_max,
                                       [&](std::uint32_t f) {
                                           auto hit = plane_hit(p, d, mesh.corners(f));
                                           is_clear = is_clear && !(std::abs(hit.inside) < 1e-4);
                                           if (hit.inside > 0 && hit.t > 0)
                                               t_max = std::min(t_max, static_cast<float>(hit.t));
                                           return true;
                                       });
            ASSERT_TRUE(!is_clear || t_max == t[i] || std::abs(t_max - t[i]) < 1e-4 * (1 + t_max));
            // All boxes of triangles that intersect a box are visited.
            const Point hi = along(p, 0.3, {1, 1, 1});
            const float upper[3] = {static_cast<float>(hi[0]), static_cast<float>(hi[1]),
                                    static_cast<float>(hi[2])};
            std::set<std::uint32_t> visited;
            treelight::for_each_in_box(view, &origins[3 * i], upper, [&](std::uint32_t f) {
                visited.insert(f);
                return true;
            });
            for (std::uint32_t f = 0; f < mesh.n_faces(); ++f) {
                if (!mesh.is_finite(f)) continue;
                const auto c = mesh.corners(f);
                bool meets = true;
                for (std::size_t axis = 0; axis < 3; ++axis)
                    meets = meets && std::min({c.a[axis], c.b[axis], c.c[axis]}) <= hi[axis] &&
                            std::max({c.a[axis], c.b[axis], c.c[axis]}) >= p[axis];
                ASSERT_TRUE(!meets || visited.contains(f));
            }
        }
    }
}

TEST_P(OwnTraversal, EmptyTreesHaveNothingToVisit) {
    auto tree = create();
    const float origin[3] = {0, 0, 0}, direction[3] = {0, 0, 1};
    const float far = kInf;
    treelight::for_each_on_ray(view_of(tree), origin, direction, 0.0f, far, [](std::uint32_t) {
        ADD_FAILURE();
        return true;
    });
    build(tree, geometry_of_points({}));
    tl_tree_nodes nodes{};
    EXPECT_EQ(tl_tree_pointers(tree.get(), &nodes), TL_INVALID);
}

INSTANTIATE_TEST_SUITE_P(OnCpu, OwnTraversal, testing::Values("cpu"));

}  // namespace tl::own_traversal_tests
