// Hits are grouped by the shading that they need. On a GPU each hit to be shaded is in one group,
// once.
#include "renderer/optics/ggx_tables.h"
#include "renderer/path/hit_groups.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// Materials of each group, one after the other, and a triangle of each material.
struct Surfaces {
    std::vector<HitGroup> groups;
    DeviceArray<MaterialData> materials;
    DeviceArray<std::int32_t> triangle_materials;
    DeviceArray<GgxTables> tables;
    SceneView scene;

    explicit Surfaces(Stream& stream) : tables(stream, 1) {
        std::vector<MaterialData> all;
        auto add = [&](HitGroup group, MaterialKind kind, float alpha, vec3 emission = vec3(0),
                       std::int32_t layers = -1) {
            MaterialData m{};
            m.kind = kind;
            m.alpha = alpha;
            m.emission = emission;
            m.layers = layers;
            all.push_back(m);
            groups.push_back(group);
        };
        add(HitGroup::diffuse, MaterialKind::diffuse, 0);
        add(HitGroup::phong, MaterialKind::phong, 0);
        add(HitGroup::emissive, MaterialKind::diffuse, 0, vec3(0, 1, 0));
        add(HitGroup::emissive, MaterialKind::phong, 0, vec3(1));
        add(HitGroup::smooth, MaterialKind::mirror, 0);
        add(HitGroup::smooth, MaterialKind::dielectric, 0);
        add(HitGroup::rough_mirror, MaterialKind::mirror, 0.3f);
        add(HitGroup::rough_glass, MaterialKind::dielectric, 0.1f);
        add(HitGroup::layered, MaterialKind::diffuse, 0, vec3(0), 0);
        std::vector<std::int32_t> of_triangles;
        for (std::size_t i = 0; i < all.size(); ++i)
            of_triangles.push_back(static_cast<std::int32_t>(i));
        materials.assign(stream, all);
        triangle_materials.assign(stream, of_triangles);
        scene.n_triangles = static_cast<std::uint32_t>(all.size());
        scene.materials = materials.view().data;
        scene.triangle_materials = triangle_materials.view().data;
        scene.ggx = tables.view().data;
    }
    /// The last kind is that of rays that hit nothing.
    [[nodiscard]] std::uint32_t n_kinds() const { return scene.n_triangles + 1; }
    [[nodiscard]] Hit hit(std::uint32_t i) const {
        Hit hit;
        if (i % n_kinds() < scene.n_triangles) hit.primitive = i % n_kinds();
        return hit;
    }
    [[nodiscard]] HitGroup group(std::uint32_t i) const {
        std::uint32_t kind = i % n_kinds();
        return kind < scene.n_triangles ? groups[kind] : HitGroup::nothing;
    }
};

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(HitGroups, TellSurfacesApart) {
    Surfaces surfaces(stream);
    std::uint32_t n = surfaces.n_kinds();
    std::vector<Hit> hits;
    for (std::uint32_t i = 0; i < n; ++i) hits.push_back(surfaces.hit(i));
    DeviceArray<Hit> on_device(stream, std::span<const Hit>(hits));
    DeviceArray<HitGroup> found(stream, n);
    SceneView scene = surfaces.scene;
    View<Hit> given = on_device.view();
    View<HitGroup> out = found.view();
    parallel_for(
        stream, "groups", n, TL_LAMBDA(std::uint32_t i) { out[i] = group_of(scene, given[i]); });
    auto groups = found.download(stream);
    for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(groups[i], surfaces.group(i)) << i;
}

#if defined(__CUDACC__)
TL_DEVICE_TEST(HitGroups, HoldEachHitThatIsShadedOnce) {
    Surfaces surfaces(stream);
    constexpr std::uint32_t kMost = 300000;
    std::vector<Hit> hits;
    for (std::uint32_t i = 0; i < kMost; ++i) hits.push_back(surfaces.hit(i));
    DeviceArray<Hit> on_device(stream, std::span<const Hit>(hits));
    for (std::uint32_t n : {0u, 1u, 1000u, kMost})
        for (bool is_last : {false, true})
            for (float background : {0.0f, 1.0f}) {
                SCOPED_TRACE(n);
                Scratch::Scope scope(scratch);
                HitGroups groups(scratch, kMost);
                DeviceArray<GroupSize> sizes(stream, kHitGroups);
                sizes.fill_zero(stream);
                DeviceArray<std::uint32_t> count(stream, std::span<const std::uint32_t>(&n, 1));
                SceneView scene = surfaces.scene;
                scene.background = vec3(background);
                group_hits(stream, scene, on_device.view(), count.view().data, groups,
                           sizes.view().data, is_last);
                std::vector<std::uint32_t> entries(groups.entries.size);
                device.download(stream, entries.data(), groups.entries.data,
                                entries.size() * sizeof(std::uint32_t));
                auto lengths = sizes.download(stream);
                std::vector<int> times(n, 0);
                for (std::uint32_t group = 0; group < kHitGroups; ++group)
                    for (std::uint32_t k = 0; k < lengths[group].n; ++k) {
                        std::size_t at = std::size_t(group / 2) * kMost;
                        std::uint32_t i = entries[at + (group % 2 ? kMost - 1 - k : k)];
                        ASSERT_LT(i, n);
                        EXPECT_EQ(surfaces.group(i), static_cast<HitGroup>(group));
                        ++times[i];
                    }
                for (std::uint32_t i = 0; i < n; ++i) {
                    HitGroup group = surfaces.group(i);
                    bool is_left_out =
                        group == HitGroup::nothing ? background == 0 : is_last && is_plain(group);
                    ASSERT_EQ(times[i], is_left_out ? 0 : 1) << i;
                }
            }
}
#endif
