// Every declared setting at both ends of its range, in every mode of its section. Pictures are
// finite, or an error explains why there is none.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "tests/image/picture.h"
#include "tests/image/scene_contents.h"
#include "tests/long_test.h"

namespace tl::setting_ranges_tests {
namespace {

constexpr Extent kTiny{8, 8};

Mesh quad(vec3 corner, vec3 a, vec3 b, std::int32_t material) {
    Mesh mesh;
    mesh.positions = {corner, corner + a, corner + a + b, corner + b};
    mesh.uvs = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {material, material};
    return mesh;
}

/// Some of all kinds of geometry, materials and lights.
std::shared_ptr<Scene> scene_of_all_kinds() {
    auto scene = std::make_shared<Scene>();
    Material grey, glossy, mirror, glass, rough_glass, glowing, layered;
    glossy.kind = MaterialKind::phong;
    glossy.specular = vec3(0.3f);
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(0.9f);
    glass.kind = rough_glass.kind = MaterialKind::dielectric;
    glass.specular = rough_glass.specular = vec3(1);
    rough_glass.roughness = 0.4f;
    glowing.emission = vec3(5);
    layered.layers = SurfaceLayers{.metallic = 0.5f, .roughness = 0.3f, .coat = 0.5f};
    scene->materials = {grey, glossy, mirror, glass, rough_glass, glowing, layered};
    scene->textures.push_back({"checks", 2, 1, {255, 255, 255, 255, 40, 40, 40, 255}});
    scene->materials[0].diffuse_texture = 0;
    scene->meshes = {quad({-3, -1, -3}, {0, 0, 6}, {6, 0, 0}, 0),
                     quad({-3, -1, -3}, {6, 0, 0}, {0, 4, 0}, 1),
                     quad({-1, 3, -1}, {2, 0, 0}, {0, 0, 2}, 5)};
    scene->spheres = {{{-1, -0.4f, 0}, 0.6f, 3},
                      {{1, -0.4f, 0}, 0.6f, 2},
                      {{0, -0.7f, 1}, 0.3f, 4},
                      {{1.8f, -0.6f, 0.8f}, 0.3f, 6}};
    for (auto content : kSceneContents) test::add_content(*scene, content);
    Light point;
    point.position = {2, 2, 2};
    point.radiance = vec3(6);
    Light sphere;
    sphere.kind = LightKind::sphere;
    sphere.position = {-2, 2, 1};
    sphere.radius = 0.2f;
    sphere.radiance = vec3(10);
    scene->lights = {point, sphere};
    scene->background = vec3(0.1f, 0.2f, 0.3f);
    scene->camera = {{0, 0.5f, 5}, {0, 0, 0}, {0, 1, 0}, 45};
    return scene;
}

/// Scenes without geometry or without lights.
std::shared_ptr<Scene> empty_scene() {
    auto scene = std::make_shared<Scene>();
    scene->camera = {{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 45};
    return scene;
}
std::shared_ptr<Scene> dark_scene() {
    auto scene = empty_scene();
    scene->materials = {Material{}};
    scene->meshes = {test::square()};
    return scene;
}

/// Whether a setting is an amount of work, of which a tiny picture needs little.
bool counts_work(const Setting& setting) {
    for (const char* unit : {"photons", "points", "places", "rays", "samples", "MB"})
        if (setting->unit == unit) return true;
    return false;
}

/// The values of a setting that are tried.
std::vector<std::string> ends_of(const Setting& setting) {
    if (!setting->choices.empty()) return setting->choices;
    if (setting->type == SettingType::flag) return {"false", "true"};
    if (setting->type == SettingType::real)
        return {number_text(static_cast<float>(setting->minimum)),
                number_text(static_cast<float>(setting->maximum))};
    constexpr double kMostWork = 300;
    double most = counts_work(setting) ? std::min(setting->maximum, kMostWork) : setting->maximum;
    return {std::to_string(static_cast<int>(setting->minimum)),
            std::to_string(static_cast<int>(most))};
}

/// Values that leave little work, for settings whose defaults are for real pictures.
std::string small_value(const Setting& setting) {
    constexpr int kLittleWork = 50;
    auto text = setting.text();
    bool is_much = counts_work(setting) && setting->type == SettingType::whole &&
                   setting.number() > kLittleWork;
    return is_much ? std::to_string(kLittleWork) : text;
}

/// The picture of two samples is finite, or an error says why there is none.
void expect_picture_or_error(Session& session, const std::string& what) {
    constexpr int kSamples = 2, kMostFrames = 300;
    try {
        session.restart();
        for (int i = 0; i < kMostFrames && session.samples() < kSamples; ++i) {
            session.begin_frame();
            session.render_frame();
            session.end_frame();
            if (session.finished()) break;
        }
        EXPECT_GT(session.samples(), 0u) << what;
        (void)session.inspection().frame_counts();
        (void)session.inspection().picture_figures();
        for (vec3 pixel : session.film().radiance(session.stream()).rgb)
            for (int c = 0; c < 3; ++c) ASSERT_TRUE(std::isfinite(pixel[c])) << what;
    } catch (const UserError& error) {
        EXPECT_GT(std::string(error.what()).size(), 20u) << what;
    }
}

/// Tries all settings of the section, one at a time, from what they are now.
void try_settings(Session& session, SectionKind kind, const std::string& where) {
    auto section = session.settings().section(kind);
    for (auto& setting : section.settings) {
        auto before = setting.text();
        for (auto& value : ends_of(setting)) {
            auto what = where + " " + section.id + "." + setting->id + " = " + value;
            SCOPED_TRACE(what);
            session.settings().set(section.id, setting->id, value);
            expect_picture_or_error(session, what);
        }
        session.settings().set(section.id, setting->id, before);
    }
}

std::unique_ptr<Session> session_with(Device& device, const std::string& renderer,
                                      std::shared_ptr<const Scene> scene = scene_of_all_kinds()) {
    auto session = std::make_unique<Session>(device);
    session->set_renderer(renderer);
    session->set_scene(std::move(scene));
    session->resize(kTiny);
    for (auto& setting : session->settings().renderer())
        session->settings().set(renderer, setting->id, small_value(setting));
    return session;
}

/// Tries all settings of a renderer in each of its modes.
void try_modes(Session& session) {
    auto id = session.renderer_id();
    auto settings = session.settings().renderer();
    auto is_mode = [](const Setting& s) { return s->id == "mode" || s->id == "pipeline"; };
    auto mode = std::ranges::find_if(settings, is_mode);
    if (mode == settings.end()) return try_settings(session, SectionKind::renderer, id);
    for (auto& choice : (*mode)->choices) {
        session.settings().set(id, (*mode)->id, choice);
        try_settings(session, SectionKind::renderer, choice);
    }
}

class RendererSettings : public testing::TestWithParam<std::string> {};

TEST_P(RendererSettings, BothEndsGivePicturesInEveryMode) {
    TL_LONG_TEST_IF(std::string(GetParam()) == "photon");
    for (Device* device : devices()) try_modes(*session_with(*device, GetParam()));
}

TEST_P(RendererSettings, BothEndsGivePicturesOfNothing) {
    for (Device* device : devices())
        for (auto& scene : {empty_scene(), dark_scene()})
            try_modes(*session_with(*device, GetParam(), scene));
}

INSTANTIATE_TEST_SUITE_P(All, RendererSettings, testing::ValuesIn([] {
                             std::vector<std::string> ids;
                             for (auto& row : renderers()) ids.push_back(row.id);
                             return ids;
                         }()),
                         [](auto& info) { return test::test_name(info.param); });

TEST(OtherSettings, BothEndsOfBuildersGivePictures) {
    for (Device* device : devices()) {
        auto session = session_with(*device, "whitted");
        for (auto& row : tree_builders()) {
            if (!(device->kind() == DeviceKind::cuda ? row.make_cuda : row.make_cpu)) continue;
            session->set_builder(row.id);
            try_settings(*session, SectionKind::builder, row.id);
        }
    }
}

TEST(OtherSettings, BothEndsOfTreeFilmAndSamplingGivePictures) {
    for (Device* device : devices()) {
        auto session = session_with(*device, "path");
        for (auto kind : {SectionKind::tree, SectionKind::film, SectionKind::sampling})
            try_settings(*session, kind, "path");
    }
}

}  // namespace
}  // namespace tl::setting_ranges_tests
