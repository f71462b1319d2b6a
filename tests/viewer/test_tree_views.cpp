// Heat map, boxes and motion, in the viewer's loop without a window.
#include "app/viewer/actions/overlay_search.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/gl/camera_matrix.h"
#include "app/viewer/views/overlay_lines.h"
#include "renderer/shading/camera_rays.h"
#include "tests/source_path.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::tree_views_tests {
namespace {

class TreeViews : public OffscreenViewer {
  protected:
    void type(char character) {
        context_->push(TextEvent{static_cast<char32_t>(character)});
        steps(2);
    }
};

TEST_F(TreeViews, TheRaysOfThePixelUnderTheCursorAreReadWhileTheirSectionIsOpen) {
    auto& model = start().model();
    context_->push(CursorEvent{vec2(20, kTop + 20)});
    steps(10);
    EXPECT_TRUE(model.view.pixel_tree.tree.nodes.empty());
    model.view.pixel_tree.wanted = true;
    read_pixel_tree(model);
    EXPECT_FALSE(model.view.pixel_tree.tree.nodes.empty());
    EXPECT_EQ(glm::ivec2(model.view.pixel_tree.x, model.view.pixel_tree.y), glm::ivec2(20, 20));
    // The cursor leaves the picture for the panel: the pixel stays.
    context_->push(CursorEvent{vec2(-5, kTop + 20)});
    steps(2);
    EXPECT_FALSE(pixel_under_cursor(model));
    model.view.pixel_tree.wanted = true;
    read_pixel_tree(model);
    EXPECT_EQ(model.view.pixel_tree.x, 20);
    EXPECT_FALSE(model.view.pixel_tree.tree.nodes.empty());
}

TEST_F(TreeViews, NothingLooksIntoATreeBeforeTheFirstFrame) {
    auto& model = start().model();
    ASSERT_EQ(model.session.samples(), 0u);
    OverlaySearch search;
    toggle_octree_boxes(model);
    EXPECT_FALSE(search.due(model, true));
    search.begin(model.view);
    search.run(model, false);
    search.end(model, false);
    EXPECT_TRUE(model.view.boxes.stale);
    EXPECT_EQ(model.view.boxes.found_count, 0u);
    steps(2);
    EXPECT_FALSE(model.view.boxes.stale);
    EXPECT_GT(model.view.boxes.found_count, 0u);
}

/// Even if its numbers were last read only shortly before.
TEST_F(TreeViews, ThePictureThatStopsHasItsLegend) {
    context_->resize({64, 48});
    ViewerOptions options;
    options.stop_at = 2;
    auto& model = start(options).model();
    model.view.interface_visible = false;
    step_until([&] { return session_->samples() == 2; });
    press(Key::h);
    step_until([&] { return session_->renderer_id() == "heat-map" && session_->samples() == 2; });
    steps(8);
    EXPECT_TRUE(model.view.legend.known());
}

TEST_F(TreeViews, TheHeatMapComesAndGoesWithItsLegend) {
    auto& model = start().model();
    steps(3);
    EXPECT_FALSE(model.view.legend.known());
    context_->push(CursorEvent{vec2(20, kTop + 20)});
    press(Key::h);
    step_until(
        [&] { return model.view.legend.known() && model.view.legend.sides[0].at_cursor > 0; });
    EXPECT_EQ(session_->renderer_id(), "heat-map");
    auto& scale = model.view.legend.sides[0].scale;
    EXPECT_TRUE(model.view.legend.cursor_inside);
    EXPECT_LE(scale.minimum, model.view.legend.sides[0].at_cursor);
    EXPECT_GE(scale.maximum, model.view.legend.sides[0].at_cursor);
    EXPECT_GT(scale.top, 0);
    press(Key::h, {.shift = true});
    steps(2);
    auto settings = session_->settings().renderer();
    EXPECT_EQ(find_setting(settings, "count", "heat-map").text(), "tests");
    press(Key::h);
    step_until([&] { return !model.view.legend.known(); });
    EXPECT_EQ(session_->renderer_id(), "whitted");
}

TEST_F(TreeViews, AuxiliaryPicturesSayWhatLiesUnderTheCursor) {
    auto& model = start().model();
    choose_renderer(model, "aov");
    change_setting(model, "aov", "channel", "material");
    context_->push(CursorEvent{vec2(32, kTop + 44)});  // the floor
    auto& side = model.view.legend.sides[0];
    step_until([&] { return model.view.legend.known() && !side.text_at_cursor.empty(); });
    auto& materials = session_->scene().materials;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < materials.size(); ++i)
        texts.push_back(std::to_string(i + 1) + " (" + materials[i].name + ")");
    EXPECT_EQ(std::count(texts.begin(), texts.end(), side.text_at_cursor), 1)
        << side.text_at_cursor;
    EXPECT_FALSE(side.scale.is_ramp());
    change_setting(model, "aov", "channel", "depth");
    step_until([&] { return side.scale.is_ramp(); });
    EXPECT_GT(side.scale.bottom, 0);
    EXPECT_EQ(side.text_at_cursor.find('('), std::string::npos);
    // Switching the heat map off returns to it.
    press(Key::h);
    steps(2);
    EXPECT_EQ(session_->renderer_id(), "heat-map");
    press(Key::h);
    steps(2);
    EXPECT_EQ(session_->renderer_id(), "aov");
}

TEST_F(TreeViews, ExposureLeavesTheHeatMapAsItIs) {
    ViewerOptions options;
    options.stop_at = 2;
    auto& model = start(options).model();
    model.view.interface_visible = false;
    press(Key::h);
    step_until([&] { return session_->samples() == 2; });
    auto film = session_->film().picture(session_->scratch(), ToneMap{});
    press(Key::page_up);
    steps(3);
    EXPECT_EQ(session_->display().config().tone_map.exposure, 0.5f);
    EXPECT_EQ(
        session_->film().picture(session_->scratch(), session_->display().shown_tone_map()).rgba,
        film.rgba);
}

TEST_F(TreeViews, BoxesAreOfTheWantedLevel) {
    ViewerOptions options;
    options.stop_at = 2;
    auto& model = start(options).model();
    auto searched = [&] { return !model.view.boxes.stale; };
    model.view.interface_visible = false;  // its figures change
    steps(1);
    step_until([&] { return session_->samples() == 2; });
    auto before = window();
    model.view.boxes.level = 0;
    press(Key::b);
    steps(1);
    step_until(searched);
    EXPECT_EQ(model.view.boxes.found[0].boxes.size(), 1u);
    EXPECT_NE(window().rgba, before.rgba);
    type('+');
    step_until(searched);
    EXPECT_EQ(model.view.boxes.found[0].n_total, 2u);
    type('-');
    type('-');
    EXPECT_EQ(model.view.boxes.level, 0);
    press(Key::b, {.shift = true});
    steps(1);
    step_until(searched);
    EXPECT_EQ(model.view.boxes.found[0].n_total,
              measure_tree(session_->stream(), session_->live_scene().tree()).n_leaves);
    press(Key::b);
    steps(1);
    EXPECT_FALSE(model.view.boxes.shown);
    EXPECT_EQ(window().rgba, before.rgba);
}

TEST_F(TreeViews, BoxesOfAnOctreeHoldItsPoints) {
    auto& model = start().model();
    open_scene(model, "generate:splats,points=3000");
    step_until([&] { return session_->scene().splats.size() >= 3000; });
    press(Key::b, {.shift = true, .control = true});
    model.view.boxes.level = 1;
    model.view.boxes.stale = true;
    steps(1);
    step_until([&] { return !model.view.boxes.stale; });
    auto& found = model.view.boxes.found[0];
    EXPECT_GT(found.n_total, 1u);
    EXPECT_LE(found.n_total, 8u);
    press(Key::b, {.shift = true});
    steps(1);
    step_until([&] { return !model.view.boxes.stale && model.view.boxes.leaves; });
    std::uint32_t n = 0;
    for (auto& box : found.boxes) {
        EXPECT_LE(box.n_primitives, 16u);
        n += box.n_primitives;
    }
    EXPECT_EQ(n, count_points(session_->scene()).all());
    press(Key::b, {.shift = true, .control = true});
    steps(1);
    EXPECT_FALSE(model.view.boxes.octree);
}

TEST_F(TreeViews, BoxesAreLookedForAgainWhenTheViewChanges) {
    auto& model = start().model();
    press(Key::b);
    step_until([&] { return model.view.boxes.found_count > 0 && !model.view.boxes.stale; });
    auto count = model.view.boxes.found_count;
    steps(10);
    EXPECT_EQ(model.view.boxes.found_count, count);
    drag({20, kTop + 20}, {30, kTop + 20});
    step_until([&] { return model.view.boxes.found_count > count && !model.view.boxes.stale; });
}

TEST_F(TreeViews, MotionPlaysPausesStepsAndRewinds) {
    auto scene = std::make_shared<Scene>(session_->scene());
    scene->duration = 2;
    session_->set_scene(scene);
    auto& model = start().model();
    steps(3);
    EXPECT_EQ(session_->samples(), 3u);
    press(Key::p);
    steps(1);
    auto first = session_->time;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    steps(3);
    EXPECT_NE(session_->time, first);
    EXPECT_LT(session_->time, scene->duration);
    EXPECT_EQ(session_->samples(), 1u);
    press(Key::p);
    steps(4);
    EXPECT_FALSE(model.view.playing);
    EXPECT_GT(session_->samples(), 1u);
    press(Key::p, {.shift = true});
    steps(2);
    EXPECT_EQ(session_->time, 0);
    type('.');
    EXPECT_FLOAT_EQ(session_->time, 1.0f / 60);
    type(',');
    type(',');
    EXPECT_FLOAT_EQ(session_->time, 2 - 1.0f / 60);
    // Opening a static scene stops the motion.
    press(Key::p);
    steps(1);
    open_scene(model, source_path("scenes/cornell-box.toml"));
    step_until([&] { return !model.document.loading.busy(); });
    EXPECT_FALSE(model.view.playing);
    press(Key::p);
    steps(1);
    EXPECT_FALSE(model.view.playing);
    EXPECT_EQ(model.status.messages.current(), "nothing moves in this scene");
}

TEST_F(TreeViews, TreeSettingsResetToTheirDefault) {
    auto& model = start().model();
    steps(1);
    auto size = [&] {
        auto settings = session_->settings().tree();
        return find_setting(settings, "max-leaf-size", "tree").text();
    };
    auto initial = size();
    change_setting(model, "tree", "max-leaf-size", "7");
    EXPECT_EQ(size(), "7");
    change_setting(model, "tree", "max-leaf-size", "");
    EXPECT_EQ(size(), initial);
}

TEST(CameraMatrix, FallsOnTheRaysOfTheCamera) {
    Camera camera{{1, 2, 8}, {0, 1, -1}, {0.1f, 1, 0}, 50};
    Extent extent{320, 200};
    CameraRays rays(camera, extent);
    mat4 matrix = camera_matrix(camera, extent);
    for (vec2 pixel : {vec2(0, 0), vec2(160, 100), vec2(320, 200), vec2(31, 177)})
        for (float t : {0.5f, 7.0f, 300.0f}) {
            Ray ray = rays.through(pixel.x, pixel.y);
            vec4 clip = matrix * vec4(ray.origin + t * ray.direction, 1);
            EXPECT_NEAR((clip.x / clip.w + 1) / 2 * 320, pixel.x, 0.01f);
            EXPECT_NEAR((1 - clip.y / clip.w) / 2 * 200, pixel.y, 0.01f);
            EXPECT_LT(std::abs(clip.z / clip.w), 1);
        }
    vec4 behind = matrix * vec4(camera.eye - (camera.target - camera.eye), 1);
    EXPECT_LT(behind.w, 0);
}

TEST(BoxLines, SegmentsThatLookTheSameAreOneLine) {
    TreeBoxes boxes;
    boxes.boxes = {{vec3(0), 0, vec3(32)}};
    boxes.n_total = 1;
    boxes.hidden.assign(12, 0);
    EXPECT_EQ(lines_of(boxes, true).size(), 2 * 12u);
    boxes.hidden[0] = 0x0000ff00;  // the middle of the first edge, along x
    auto lines = lines_of(boxes, true);
    ASSERT_EQ(lines.size(), 2 * 14u);
    EXPECT_EQ(lines[2].position, vec3(8, 0, 0));
    EXPECT_EQ(lines[3].position, vec3(16, 0, 0));
    EXPECT_LT(lines[2].rgba8 >> 24, lines[0].rgba8 >> 24);
    EXPECT_EQ(lines_of(boxes, false).size(), 2 * 13u);
    boxes.hidden.assign(12, 0xffffffff);
    EXPECT_TRUE(lines_of(boxes, false).empty());
}

}  // namespace
}  // namespace tl::tree_views_tests
