// The shade tree of a pixel, as displayed by the panel.
#include <gtest/gtest.h>

#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"

namespace tl::pixel_tree_tests {
namespace {

constexpr Extent kExtent{40, 30};

/// Expects a node's radiance to be the weighted sum of its children's; returns the next index.
std::size_t check_node(const PixelTree& tree, std::size_t i, int depth, vec3 in_parent) {
    auto& node = tree.nodes.at(i);
    EXPECT_EQ(node.depth, depth);
    std::size_t next = i + 1;
    vec3 sum(0);
    std::uint32_t n_rays = 1;
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(node.in_pixel[c], in_parent[c] * node.weight[c], 1e-6f);
    for (int k = 0; k < node.n_children; ++k) {
        auto& child = tree.nodes.at(next);
        sum += child.weight * child.radiance;
        n_rays += child.n_rays;
        next = check_node(tree, next, depth + 1, node.in_pixel);
    }
    if (node.n_children == 0) return next;
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(node.radiance[c], sum[c], 1e-5f);
    EXPECT_EQ(node.n_rays, n_rays);
    return next;
}

TEST(PixelTree, IsThatOfThePicturesPixel) {
    // Point lights, and rays through pixel centres: no random number matters.
    auto scene = load_scene("generate:sphere-flake,depth=2");
    for (auto& material : scene.materials)
        if (material.kind == MaterialKind::phong) {
            material.kind = MaterialKind::dielectric;
            material.specular = material.transmission = vec3(0.9f);
        }
    scene.settings["sampling"]["filter-radius"] = "1e-5";
    scene.settings["whitted"]["max-depth"] = "4";
    for (Device* device : devices()) {
        Session session(*device);
        session.set_scene(std::make_shared<Scene>(scene));
        session.resize(kExtent);
        EXPECT_TRUE(session.inspection().pixel_tree(1, 1).nodes.empty());
        session.render_frame();
        auto image = session.film().radiance(session.stream());
        int deepest = 0, n_pixels = 0, n_off = 0;
        for (int y = 0; y < kExtent.height; y += 3)
            for (int x = 0; x < kExtent.width; x += 3) {
                PixelTree tree = session.inspection().pixel_tree(x, y);
                ASSERT_FALSE(tree.nodes.empty());
                EXPECT_EQ(check_node(tree, 0, 0, vec3(1)), tree.nodes.size());
                vec3 seen = image.rgb[std::size_t(y * kExtent.width + x)];
                ++n_pixels;
                n_off += glm::distance(tree.nodes[0].radiance, seen) > 1e-3f;
                for (auto& node : tree.nodes) deepest = std::max(deepest, node.depth);
            }
        EXPECT_EQ(deepest, 4) << device->name();
        // Spheres diverge neighbouring rays: some hit another surface after a shift of half a
        // 100,000th of a pixel.
        EXPECT_LE(n_off, n_pixels / 20) << device->name();
        EXPECT_TRUE(session.inspection().pixel_tree(-1, 0).nodes.empty());
        EXPECT_TRUE(session.inspection().pixel_tree(0, kExtent.height).nodes.empty());
        // The query does not change the picture.
        session.render_frame();
        session.set_renderer("heat-map");
        session.render_frame();
        EXPECT_TRUE(session.inspection().pixel_tree(1, 1).nodes.empty());
    }
}

}  // namespace
}  // namespace tl::pixel_tree_tests
