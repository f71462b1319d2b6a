// Poses between two views of a scene: the matches, the background run, and the panel's section.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "app/solve/pose/picture_matches.h"
#include "app/solve/pose/pose_actions.h"
#include "app/solve/pose/pose_lines.h"
#include "renderer/shading/camera_rays.h"
#include "tests/long_test.h"
#include "tests/source_path.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::pose_tests {
namespace {

const std::string kCornellBox = source_path("scenes/cornell-box.toml");

/// Two views into the Cornell box that share most of it.
Camera front_view() {
    return load_scene(kCornellBox).camera;
}
Camera side_view() {
    Camera camera = front_view();
    camera.eye = {0.5f, 0.4f, -0.6f};
    camera.target = {0.25f, 0.2f, 0.3f};
    return camera;
}

class PoseRuns : public testing::Test {
  protected:
    PoseRuns() {
        session_.set_scene(std::make_shared<Scene>(load_scene(kCornellBox)));
        task_.session = snapshot_of(session_, front_view());
        task_.device = "cpu";
        task_.first = front_view();
        task_.second = side_view();
        task_.first_name = "one";
        task_.second_name = "two";
        task_.picture = {1000, 800};
        task_.matches = {500, 0, 0, 1};
    }
    PoseOutcome outcome() {
        auto outcome = expected_outcome(task_);
        JobRun run;
        run_pose(task_, run, outcome);
        return outcome;
    }
    std::string error() {
        try {
            (void)outcome();
            return "";
        } catch (const UserError& error) {
            return error.what();
        }
    }

    Session session_{find_device("auto")};
    PoseTask task_;
};

TEST(PinholeView, HasTheRaysOfTheRenderers) {
    Camera tilted = side_view();
    tilted.up = {0.3f, 1, 0.1f};
    Camera down = front_view();
    down.target = down.eye - vec3(0, 1, 0);
    for (const auto& camera : {front_view(), tilted, down}) {
        Extent extent{300, 200};
        CameraRays rays(camera, extent);
        auto view = pinhole_view(camera, extent);
        for (auto [x, y] : {std::pair{0.0, 0.0}, {150.0, 100.0}, {299.5, 17.25}}) {
            const double pixel[2] = {x, y};
            double way[3], back[2];
            view.towards(pixel, way);
            vec3 expected = rays.towards(static_cast<float>(x), static_cast<float>(y));
            // Some roundings of single precision, of components around 1.
            for (int k = 0; k < 3; ++k) EXPECT_NEAR(way[k], double(expected[k]), 2e-6);
            double point[3];
            for (int k = 0; k < 3; ++k) point[k] = view.center[k] + 3 * way[k];
            ASSERT_TRUE(view.project(point, back));
            // Rounding of double precision, of pixels up to 300.
            EXPECT_NEAR(back[0], x, 1e-10);
            EXPECT_NEAR(back[1], y, 1e-10);
            for (int k = 0; k < 3; ++k) point[k] = view.center[k] - way[k];
            EXPECT_FALSE(view.project(point, back));
        }
    }
}

TEST(PinholeView, PosesAndViewsAreTheSameAndEpipolarLinesMeetTheirPoints) {
    auto first = pinhole_view(front_view(), {640, 480});
    auto second = pinhole_view(side_view(), {640, 480});
    for (auto kind : {PoseKind::relative, PoseKind::absolute}) {
        auto back = view_by_pose(first, second, true_pose(first, second, kind), kind);
        // Some roundings of double precision.
        for (int k = 0; k < 9; ++k) EXPECT_NEAR(back.rotation[k], second.rotation[k], 1e-14);
        EXPECT_LT(distance_between(back.center, second.center), 1e-14);
    }
    const double point[3] = {0.2, 0.1, 0.4};
    double a[2], b[2];
    ASSERT_TRUE(first.project(point, a));
    ASSERT_TRUE(second.project(point, b));
    auto line = epipolar_line(first, second, a);
    double off = line.a * b[0] + line.b * b[1] + line.c;
    // In pixels: rounding of coordinates of some hundred.
    EXPECT_LT(std::abs(off) / std::hypot(line.a, line.b), 1e-10);
}

TEST_F(PoseRuns, MatchesOfTheSceneAreSeenByBothViews) {
    task_.session.settings.clear();
    auto session = session_of(task_.session, {40, 30});
    session->begin_frame();
    session->render_frame();
    session->end_frame();
    auto first = pinhole_view(task_.first, task_.picture);
    auto second = pinhole_view(task_.second, task_.picture);
    SolverRun run;
    auto found = scene_matches(*session, first, second, task_.matches, task_.kind, run);
    ASSERT_EQ(found.count(), 500u);
    EXPECT_EQ(found.n_right(), 500u);
    auto there = points_at(*session, second, found.second);
    std::size_t n_apart = 0;
    for (std::size_t i = 0; i < found.count(); ++i) {
        double off = distance_between(&there[3 * i], &found.points[3 * i]);
        // Hits are rounded to single precision; the room is a metre away.
        n_apart += off < 1e-4 ? 0 : 1;
    }
    // Beside an edge the second ray may slip past it.
    EXPECT_LE(n_apart, 5u);
    // The number of outliers is as requested, and they depend on the seed alone.
    task_.matches.outliers = 0.4f;
    auto some = scene_matches(*session, first, second, task_.matches, task_.kind, run);
    EXPECT_EQ(some.n_right(), 300u);
    auto again = scene_matches(*session, first, second, task_.matches, task_.kind, run);
    EXPECT_EQ(some.second, again.second);
    task_.matches.seed = 2;
    again = scene_matches(*session, first, second, task_.matches, task_.kind, run);
    EXPECT_NE(some.second, again.second);
}

TEST_F(PoseRuns, ExactMatchesGiveTheExactPose) {
    for (auto& row : pose_kinds()) {
        if (finds_matrix(row.kind)) continue;
        task_.kind = row.kind;
        auto o = outcome();
        EXPECT_EQ(o.n_matches, 500u) << row.id;
        EXPECT_EQ(o.n_right_found, 500u) << row.id;
        // Rounding of double precision, times the condition of a pose from 500 matches: as
        // tests/solvers has it.
        EXPECT_LT(o.off.rotation, 1e-7) << row.id;
        EXPECT_GE(o.off.rotation, 0) << row.id;
        EXPECT_LT(o.off.position, 1e-7) << row.id;
        EXPECT_GE(o.off.position, 0) << row.id;
        EXPECT_EQ(o.off.direction >= 0, is_relative(row.kind)) << row.id;
        EXPECT_LT(o.off.direction, 1e-6) << row.id;
        EXPECT_EQ(o.off.focal >= 0, finds_focal(row.kind)) << row.id;
        EXPECT_LT(o.off.focal, 1e-7) << row.id;
        EXPECT_EQ(o.pictures.extent, (Extent{360, 576})) << row.id;
        // Three views of ten lines, and two baselines.
        EXPECT_EQ(view_lines(o).size(), 2u * (3 * 10 + 2));
    }
    // Views of different fields of view are still calibrated.
    task_.kind = PoseKind::relative;
    task_.second.vertical_fov = 60;
    EXPECT_LT(outcome().off.rotation, 1e-7);
}

TEST_F(PoseRuns, NoiseAndWrongMatchesMoveThePoseALittle) {
    task_.matches = {2000, 0.5f, 0.5f, 3};
    for (auto kind : {PoseKind::relative, PoseKind::absolute}) {
        task_.kind = kind;
        auto o = outcome();
        EXPECT_EQ(o.n_matches, 2000u);
        EXPECT_EQ(o.n_right, 1000u);
        // Half a pixel is 0.025 degrees at a focal length of 1120 pixels. A thousand matches would
        // average that to a thirtieth, were rotation and translation not alike in the picture.
        EXPECT_LT(o.off.rotation, 0.2);
        EXPECT_LT(o.off.direction, 1);
        EXPECT_LT(o.off.position, 0.01);
        EXPECT_GT(o.off.rotation, 0);
        // The threshold of a pixel is two standard deviations of the distance from the line, and
        // of each coordinate of a point: 95 and 86 % are within. Few wrong ones are near.
        EXPECT_GT(o.n_right_found, is_relative(kind) ? 900u : 800u);
        EXPECT_LT(o.estimate.n_inliers, o.n_right_found + 50);
    }
}

TEST_F(PoseRuns, AViewThatOnlyTurnsHasNoDirection) {
    task_.second = task_.first;
    task_.second.target.x += 0.1f;
    auto o = outcome();
    EXPECT_EQ(o.estimate.doubt, PoseDoubt::pure_rotation);
    EXPECT_LT(o.off.direction, 0);
}

TEST_F(PoseRuns, ErrorsAreInWords) {
    task_.second.target = task_.second.eye - vec3(0, 0, 1);
    TL_EXPECT_CONTAINS(error(), "show the same surfaces");
    task_.second = task_.first;
    TL_EXPECT_CONTAINS(error(), "one and two are the same camera");
    task_.second = side_view();
    task_.second.vertical_fov = 60;
    task_.kind = PoseKind::relative_focal;
    TL_EXPECT_CONTAINS(error(), "field of view");
    task_.kind = PoseKind::relative;
    task_.picture = {0, 0};
    TL_EXPECT_CONTAINS(error(), "no pixels");
    task_.picture = {1000, 800};
    task_.mode = "nothing";
    TL_EXPECT_CONTAINS(error(), "fused");
}

TEST_F(PoseRuns, TheyCanBeCancelled) {
    auto o = expected_outcome(task_);
    JobRun run;
    run.cancel();
    EXPECT_THROW(run_pose(task_, run, o), Cancelled);
    EXPECT_EQ(o.n_matches, 0u);
}

/// A picture of random blocks, `right` and `down` pixels of a larger one.
Image8 blocks_at(int right, int down) {
    constexpr int kBlock = 12;
    Extent extent{400, 300};
    Image8 picture{extent, {}};
    for (int y = 0; y < extent.height; ++y)
        for (int x = 0; x < extent.width; ++x) {
            std::mt19937 random(
                static_cast<unsigned>((x + right) / kBlock * 1000 + (y + down) / kBlock));
            auto grey = static_cast<std::uint8_t>(random() >> 24);
            picture.rgba.insert(picture.rgba.end(), {grey, grey, grey, 255});
        }
    return picture;
}

TEST(PictureMatches, FeaturesFindAPictureThatHasMoved) {
    auto first = blocks_at(0, 0), second = blocks_at(36, 20);
    if (*no_features_reason()) {
        TL_EXPECT_CONTAINS(std::string(no_features_reason()), "libopencv");
        EXPECT_THROW((void)picture_matches(first, second, 500), UserError);
        return;
    }
    auto matches = picture_matches(first, second, 500);
    ASSERT_GT(matches.size() / 4, 50u);
    std::size_t n_near = 0;
    for (std::size_t i = 0; i < matches.size(); i += 4)
        // Positions in smaller versions of the picture are rounded to some of its pixels.
        n_near +=
            std::hypot(matches[i] - matches[i + 2] - 36, matches[i + 1] - matches[i + 3] - 20) < 3
                ? 1
                : 0;
    EXPECT_GT(n_near, matches.size() / 4 * 9 / 10);
    Image8 grey{{400, 300}, std::vector<std::uint8_t>(480'000, 128)};
    EXPECT_TRUE(picture_matches(first, grey, 500).empty());
}

TEST_F(PoseRuns, FeaturesOfThePicturesGiveAPose) {
    task_.source = MatchSource::pictures;
    // Toasters with textures; in the Cornell box most corners are those that the mirror shows.
    auto scene = std::make_shared<Scene>(load_scene(source_path("scenes/toasters.toml")));
    session_.set_scene(scene);
    task_.session = snapshot_of(session_, scene->camera);
    // Views that are near to each other look alike.
    task_.first = task_.second = scene->camera;
    task_.second.eye += vec3(0.2f, 0.1f, 0);
    task_.matches.count = 2000;
    if (*no_features_reason()) {
        EXPECT_EQ(error(), no_features_reason());
        return;
    }
    if (test::kSanitized) GTEST_SKIP() << "pictures at full quality take minutes";
    auto o = outcome();
    EXPECT_EQ(o.pictures.extent, (Extent{640, 1024}));
    EXPECT_EQ(o.first.extent, (Extent{640, 512}));
    EXPECT_GT(o.n_right, 300u);
    EXPECT_GT(o.n_right_found, o.n_right * 3 / 4);
    // The right ones are off by up to three pixels of 0.09 degrees, half of them by 0.7; were all
    // of them off in the same way, so would the pose be, and a turn looks much like a shift. 0.2
    // and 2 degrees were seen.
    EXPECT_LT(o.off.rotation, 1);
    EXPECT_LT(o.off.direction, 8);
}

class ViewerPose : public OffscreenViewer {
  protected:
    /// A window that has room for both pictures.
    void enlarge() {
        if (!context_) return;
        context_ = nullptr;
        context_ = std::make_unique<EglContext>(window_for({200, 900}, 1, true));
    }
    ViewerModel& begin(bool bookmarks = true) {
        auto& model = start().model();
        steps(3);
        auto& task = pose_of(model).task;
        task.device = "cpu";
        task.matches = {300, 0, 0.2f, 1};
        // In a small picture many outliers would fit a pose that is a little off.
        task.ransac.threshold = 0.01f;
        if (bookmarks)
            model.document.scene.bookmarks = {
                {.number = 1, .name = "front", .camera = front_view()},
                {.number = 2, .camera = side_view()}};
        return model;
    }
    const PoseOutcome& outcome(ViewerModel& model) {
        step_until([&] { return !pose_of(model).active(); });
        return pose_of(model).history.back();
    }
};

TEST_F(ViewerPose, TwoBookmarksGiveAPoseThatIsDrawnInTheScene) {
    auto& model = begin();
    press(Key::m);
    step_until([&] { return !pose_of(model).history.empty(); });
    auto& o = outcome(model);
    ASSERT_EQ(o.error, "");
    EXPECT_EQ(model.view.panel.tab, PanelTab::solvers);
    EXPECT_EQ(o.first_name, "bookmark 1: front");
    EXPECT_EQ(o.n_right, 240u);
    EXPECT_EQ(o.n_right_found, 240u);
    EXPECT_LT(o.off.rotation, 1e-6);
    auto& view = pose_of(model);
    EXPECT_FALSE(view.lines.ends.empty());
    EXPECT_NE(view.preview.texture, 0u);
    EXPECT_EQ(view.preview.image.extent, o.pictures.extent);
    // The recovered view is green, seen from above and behind.
    Camera above = front_view();
    above.eye = {1.2f, 1.2f, -2};
    model.view.camera.set_camera(above);
    auto greens = [&](const Image8& image) {
        int n = 0;
        for (int i = 0; i < image.extent.pixels(); ++i) {
            auto* p = &image.rgba[4 * static_cast<std::size_t>(i)];
            n += i % image.extent.width < kPicture.width && p[1] > 150 && p[0] < 120 && p[2] < 120;
        }
        return n;
    };
    int with = greens(window());
    show_cameras(view, false);
    EXPECT_GT(with, greens(window()) + 3);
    // The view as it is may be one of the two.
    view.second = PoseView::kCurrentView;
    start_pose(model);
    step_until([&] { return view.history.size() == 2; });
    EXPECT_EQ(view.history[0].matches.count(), 0u);
    ASSERT_EQ(outcome(model).error, "");
    EXPECT_EQ(outcome(model).second_name, "the view as it is");
    // Another scene has other cameras.
    show_cameras(view, true);
    EXPECT_FALSE(view.lines.ends.empty());
    session_->set_scene(std::make_shared<Scene>(load_scene(kCornellBox)));
    steps(2);
    EXPECT_TRUE(view.lines.ends.empty());
    view.forget();
    steps(2);
    EXPECT_EQ(view.preview.texture, 0u);
    EXPECT_EQ(view.history.capacity(), 0u);
}

TEST_F(ViewerPose, TheCursorFindsAMatchInBothPictures) {
    TL_LONG_TEST();
    enlarge();
    auto& model = begin();
    auto& view = pose_of(model);
    start_pose(model);
    step_until([&] { return !view.history.empty(); });
    ASSERT_EQ(outcome(model).error, "");
    model.view.paused = true;
    auto yellows = [&] {
        auto image = window();
        int n = 0;
        for (std::size_t i = 0; i < image.rgba.size(); i += 4)
            n += image.rgba[i] > 220 && image.rgba[i + 1] > 180 && image.rgba[i + 2] < 130;
        return n;
    };
    int before = yellows();
    // Down to the end of the panel, and up until the lower end of the pictures is half way up.
    vec2 in_panel(model.view.layout.panel.x + 40, 450);
    context_->push(CursorEvent{in_panel});
    for (int i = 0; i < 40; ++i) context_->push(ScrollEvent{vec2(0, -10)});
    steps(50);
    for (int i = 0; i < 100 && !view.pointed; ++i) {
        context_->push(ScrollEvent{vec2(0, 1)});
        steps(10);
    }
    int n_found = 0, most = 0;
    for (int y = 850; y > 60 && n_found < 20; y -= 20) {
        context_->push(CursorEvent{vec2(in_panel.x, y)});
        steps(3);
        if (!view.pointed) continue;
        EXPECT_LT(*view.pointed, view.history[0].matches.count());
        ++n_found;
        if (n_found % 2 == 0) most = std::max(most, yellows());
    }
    EXPECT_GT(n_found, 10);
    // Two circles of thirty pixels, and two lines from side to side.
    EXPECT_GT(most, before + 100);
    context_->push(CursorEvent{vec2(10, 10)});
    steps(3);
    EXPECT_FALSE(view.pointed);
}

TEST_F(ViewerPose, WithoutBookmarksItSaysWhatToDo) {
    auto& model = begin(false);
    start_pose(model);
    TL_EXPECT_CONTAINS(model.status.messages.dialog_text(), "press Ctrl+1");
    EXPECT_FALSE(pose_of(model).job.busy());
    EXPECT_TRUE(pose_of(model).history.empty());
}

TEST_F(ViewerPose, FramesGoOnMeanwhileAndItCanBeCancelled) {
    auto& model = begin();
    // So many that the run cannot end before it is cancelled.
    pose_of(model).task.matches = {100'000, 5, 0.95f, 1};
    pose_of(model).task.ransac.most_samples = 1'000'000'000;
    auto samples = session_->samples();
    start_pose(model);
    EXPECT_TRUE(pose_of(model).job.busy());
    steps(4);
    EXPECT_GE(session_->samples(), samples + 4);
    start_pose(model);
    TL_EXPECT_CONTAINS(model.status.messages.current(), "cancel it first");
    press(Key::m);
    step_until([&] { return !pose_of(model).job.busy(); });
    ASSERT_EQ(pose_of(model).history.size(), 1u);
    EXPECT_EQ(pose_of(model).history[0].error, "cancelled");
    steps(4);
}

TEST_F(ViewerPose, ErrorsAreShownAndTheHistoryIsCopied) {
    auto& model = begin();
    auto& view = pose_of(model);
    copy_csv(model, pose_of(model));
    TL_EXPECT_CONTAINS(model.status.messages.current(), "no pose has run yet");
    model.document.scene.bookmarks[1].camera.target = side_view().eye - vec3(0, 0, 1);
    start_pose(model);
    step_until([&] { return view.history.size() == 1; });
    TL_EXPECT_CONTAINS(outcome(model).error, "show the same surfaces");
    EXPECT_TRUE(view.lines.ends.empty());
    model.document.scene.bookmarks[1].camera = side_view();
    for (auto kind : {PoseKind::relative, PoseKind::absolute_focal}) {
        view.task.kind = kind;
        auto n = view.history.size();
        start_pose(model);
        step_until([&] { return view.history.size() > n; });
        ASSERT_EQ(outcome(model).error, "");
    }
    steps(4);
    copy_csv(model, pose_of(model));
    auto csv = context_->clipboard();
    ASSERT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
    TL_EXPECT_CONTAINS(csv,
                       "\n\"bookmark 1: front\",\"bookmark 2\",scene,relative,fused,cpu,300,240,");
    // Each row has as many fields as the first one, beside commas within quotes.
    std::size_t begin = 0;
    std::vector<int> n_fields;
    for (std::size_t end; (end = csv.find('\n', begin)) != std::string::npos; begin = end + 1) {
        bool quoted = false;
        int n = 1;
        for (char c : csv.substr(begin, end - begin)) {
            if (c == '"') quoted = !quoted;
            if (c == ',' && !quoted) ++n;
        }
        n_fields.push_back(n);
    }
    for (int n : n_fields) EXPECT_EQ(n, n_fields[0]);
    copy_json(model, pose_of(model));
    auto json = nlohmann::json::parse(context_->clipboard());
    EXPECT_EQ(json.at("kind"), "pose-history");
    ASSERT_EQ(json.at("runs").size(), 3u);
    EXPECT_FALSE(json.at("runs")[0].at("error").get<std::string>().empty());
    EXPECT_LT(json.at("runs")[1].at("direction_error").get<double>(), 1e-5);
    EXPECT_EQ(json.at("runs")[2].count("direction_error"), 0u);
    EXPECT_EQ(json.at("runs")[2].at("right_inliers"), 240);
}

}  // namespace
}  // namespace tl::pose_tests
