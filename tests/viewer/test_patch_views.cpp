// Control nets and lines of equal u and v, in the viewer's loop without a window.
#include "app/viewer/actions/patch_views.h"

#include <array>
#include <bit>
#include <map>
#include <set>

#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/gl/camera_matrix.h"
#include "app/viewer/views/overlay_lines.h"
#include "tests/source_path.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::patch_views_tests {
namespace {

std::shared_ptr<Scene> scene_of(const std::string& name) {
    return std::make_shared<Scene>(load_scene(source_path("scenes/") + name));
}

std::unique_ptr<Session> frame_of(Device& device, const std::string& scene, float time) {
    auto session = std::make_unique<Session>(device);
    session->set_scene(scene_of(scene));
    session->resize({32, 24});
    session->time = time;
    session->begin_frame();
    session->render_frame();
    session->end_frame();
    return session;
}

ControlNets nets_of(Session& session) {
    return collect_control_nets(session.scratch(), session.live_scene().view().tree,
                                static_cast<std::uint32_t>(session.scene().patch_count()),
                                session.camera.eye);
}

float apart(vec3 a, vec3 b) {
    return glm::length(a - b);
}

}  // namespace

TEST(ControlNet, HasThePatchesPointsOnEveryDevice) {
    for (Device* device : devices()) {
        auto session = frame_of(*device, "teapot.toml", 0);
        auto nets = nets_of(*session);
        auto& points = session->scene().patches[0].points;
        ASSERT_EQ(nets.size(), 32u);
        ASSERT_EQ(nets.points.size(), points.size());
        for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(nets.points[i], points[i]);
        // Some parts of a closed body are visible, others are hidden.
        std::size_t n_hidden = 0, n_parts = nets.hidden.size() * net_line_parts(32);
        for (std::uint32_t bits : nets.hidden)
            n_hidden += static_cast<std::size_t>(std::popcount(bits));
        EXPECT_GT(n_hidden, n_parts / 10);
        EXPECT_LT(n_hidden, n_parts * 9 / 10);
    }
}

TEST(ControlNet, FollowsTheMotion) {
    for (Device* device : devices()) {
        auto still = nets_of(*frame_of(*device, "teapots.toml", 0));
        auto later = nets_of(*frame_of(*device, "teapots.toml", 0.7f));
        ASSERT_EQ(still.points.size(), later.points.size());
        std::size_t n_moved = 0;
        for (std::size_t i = 0; i < still.points.size(); ++i)
            n_moved += apart(still.points[i], later.points[i]) > 1e-3f;
        EXPECT_GT(n_moved, still.points.size() / 4);
    }
}

TEST(ControlNet, Has24LinesAPatchBetweenNeighbouringPoints) {
    auto scene = scene_of("teapot.toml");
    ControlNets nets;
    nets.points = scene->patches[0].points;
    nets.n_total = 32;
    nets.hidden.assign(kNetLines * std::size_t(32), 0);
    auto lines = lines_of(nets, true);
    ASSERT_EQ(lines.size(), 2u * 24 * 32);
    std::map<std::uint32_t, std::size_t> n_of_color;
    for (auto& vertex : lines) ++n_of_color[vertex.rgba8];
    ASSERT_EQ(n_of_color.size(), 2u);
    for (auto& [color, n] : n_of_color) EXPECT_EQ(n, 2u * 12 * 32);

    // Every pair of neighbouring points of every net is a line, identified by its ends.
    std::multiset<std::array<float, 6>> drawn, wanted;
    auto key = [](vec3 a, vec3 b) { return std::array{a.x, a.y, a.z, b.x, b.y, b.z}; };
    for (std::size_t i = 0; i < lines.size(); i += 2)
        drawn.insert(key(lines[i].position, lines[i + 1].position));
    for (std::size_t patch = 0; patch < 32; ++patch)
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j) {
                auto at = [&](std::size_t p, std::size_t q) {
                    return nets.points[16 * patch + 4 * p + q];
                };
                if (i < 3) wanted.insert(key(at(i, j), at(i + 1, j)));
                if (j < 3) wanted.insert(key(at(i, j), at(i, j + 1)));
            }
    EXPECT_EQ(drawn, wanted);

    nets.hidden.assign(nets.hidden.size(), 0xff);
    EXPECT_TRUE(lines_of(nets, false).empty());
    EXPECT_EQ(lines_of(nets, true).size(), lines.size());
}

class PatchViews : public OffscreenViewer {
  protected:
    /// The teapot in a large picture, without the interface.
    ViewerModel& start_teapot(ViewerOptions options = {}) {
        session_->set_scene(scene_of("teapot.toml"));
        context_->resize({420, 320});
        options.stop_at = 2;
        auto& model = start(options).model();
        model.view.interface_visible = false;
        step_until([&] { return session_->samples() == 2; });
        return model;
    }
};

TEST_F(PatchViews, LinesLieWhereTheControlPointsAreSeen) {
    auto& model = start_teapot();
    auto before = window();
    press(Key::n);
    auto after = window();
    ASSERT_TRUE(model.view.net.shown);
    ASSERT_EQ(before.extent, after.extent);
    auto& nets = model.view.net.found;
    ASSERT_EQ(nets.size(), 32u);
    mat4 matrix = camera_matrix(session_->camera, after.extent);
    auto pixel = [&](vec3 p) {
        vec4 clip = matrix * vec4(p, 1);
        return vec2((clip.x / clip.w + 1) / 2 * float(after.extent.width),
                    (1 - clip.y / clip.w) / 2 * float(after.extent.height));
    };
    auto changed = [&](int x, int y) {
        if (x < 0 || y < 0 || x >= after.extent.width || y >= after.extent.height) return false;
        auto at = 4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(after.extent.width) +
                       static_cast<std::size_t>(x));
        return !std::equal(&before.rgba[at], &before.rgba[at] + 3, &after.rgba[at]);
    };
    // If the middle of a line is visible, a pixel next to it has changed.
    int n_seen = 0, n_missing = 0;
    for (std::uint32_t i = 0; i < nets.hidden.size(); ++i) {
        if (nets.hidden[i] != 0) continue;
        NetLine line(i % kNetLines);
        const vec3* net = &nets.points[std::size_t(16) * (i / kNetLines)];
        vec2 at = pixel((net[line.from] + net[line.to]) / 2.0f);
        if (at.x < 2 || at.y < 2 || at.x > 417 || at.y > 317) continue;
        ++n_seen;
        bool found = false;
        for (int dx = -1; dx <= 1; ++dx)
            for (int dy = -1; dy <= 1; ++dy) found |= changed(int(at.x) + dx, int(at.y) + dy);
        n_missing += !found;
    }
    EXPECT_GT(n_seen, 100);
    EXPECT_EQ(n_missing, 0);
    // No pixel outside the bounds of the net's projection has changed.
    vec2 lo(1e9f), hi(-1e9f);
    for (vec3 p : nets.points) {
        lo = glm::min(lo, pixel(p));
        hi = glm::max(hi, pixel(p));
    }
    for (int y = 0; y < after.extent.height; ++y)
        for (int x = 0; x < after.extent.width; ++x)
            if (float(x) < lo.x - 2 || float(x) > hi.x + 2 || float(y) < lo.y - 2 ||
                float(y) > hi.y + 2) {
                EXPECT_FALSE(changed(x, y));
            }
    press(Key::n);
    EXPECT_EQ(window().rgba, before.rgba);
}

TEST_F(PatchViews, TheFlagShowsTheNetFromTheStart) {
    ViewerOptions options;
    options.control_net = true;
    auto& model = start_teapot(options);
    EXPECT_TRUE(model.view.net.shown);
    step_until([&] { return model.view.net.found.size() == 32; });
    auto count = model.view.net.found_count;
    drag({100, 100}, {120, 100});
    EXPECT_GT(model.view.net.found_count, count);
}

TEST_F(PatchViews, LinesOfEqualUAndVComeAndGo) {
    auto& model = start_teapot();
    press(Key::n, {.shift = true});
    steps(2);
    EXPECT_EQ(session_->renderer_id(), "bezier");
    EXPECT_EQ(uv_lines(model), "4");
    change_setting(model, "bezier", "uv-lines", "7");
    press(Key::n, {.shift = true});
    steps(2);
    EXPECT_EQ(uv_lines(model), "0");
    press(Key::n, {.shift = true});
    steps(2);
    EXPECT_EQ(uv_lines(model), "7");
}

TEST_F(PatchViews, TheLegendOfMissesHasTheirColors) {
    auto& model = start_teapot();
    choose_renderer(model, "bezier");
    change_setting(model, "bezier", "show", "misses");
    step_until([&] { return model.view.legend.known() && session_->samples() == 2; });
    auto shown = window();
    auto film = session_->film().picture(session_->scratch(), session_->display().shown_tone_map());
    // The certified method misses nothing, so only the legend has red pixels.
    auto n_red = [](const Image8& image) {
        std::size_t n = 0;
        for (std::size_t i = 0; i < image.rgba.size(); i += 4)
            n += image.rgba[i] == 255 && image.rgba[i + 1] < 60 && image.rgba[i + 2] < 60;
        return n;
    };
    EXPECT_EQ(n_red(film), 0u);
    EXPECT_GT(n_red(shown), 50u);
}

TEST_F(PatchViews, ASceneWithoutPatchesHasNoNet) {
    auto& model = start().model();
    press(Key::n);
    steps(2);
    EXPECT_FALSE(model.view.net.shown);
    EXPECT_EQ(model.status.messages.current(), "this scene has no patches");
    // One that an earlier scene has left on can be hidden.
    model.view.net.shown = true;
    toggle_control_net(model);
    EXPECT_FALSE(model.view.net.shown);
}

}  // namespace tl::patch_views_tests
