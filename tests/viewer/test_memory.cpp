// Memory that is sized by a picture or belongs to a view is released when it is no longer needed.
// The same state uses the same amount before and after.
#include <atomic>
#include <thread>

#include "app/jobs/background_job.h"
#include "app/jobs/resident_memory.h"
#include "app/solve/eig/eig_view.h"
#include "app/solve/pose/pose_view.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "core/device/fitting_array.h"
#include "tests/long_test.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::memory_tests {
namespace {

class ViewerMemory : public OffscreenViewer {
  protected:
    static constexpr Extent kSmall{200, 150}, kLarge{900, 600};

    void SetUp() override {
        return_freed_memory();  // as the program does
        OffscreenViewer::SetUp();
    }
    void show(Extent picture) {
        context_->resize(window_for(picture, 1, true, preferences_.panel_width));
        viewer_->step();
    }
    /// Renders the picture, and waits until unused memory has been released. On a busy machine a
    /// frame of the size before may still be in progress.
    void settle() {
        auto& model = viewer_->model();
        model.view.paused = false;
        step_until([&] {
            return viewer_->idle() && model.session.samples() >= 2 &&
                   model.session.extent() == model.view.layout.picture.extent();
        });
        model.view.paused = true;
        // Effects of the last step are known after another one.
        steps(2);
        step_until([&] { return viewer_->memory().done() && viewer_->idle(); });
    }
    struct Held {
        std::size_t device, film, histogram, resident;
    };
    [[nodiscard]] Held held() {
        auto& session = viewer_->model().session;
        return {session.device().memory_stats().bytes_in_use, session.film().bytes(),
                viewer_->histogram_bytes(), resident_bytes()};
    }
};

TEST_F(ViewerMemory, IsThatOfTheStateOnShow) {
    TL_LONG_TEST();
    Viewer& viewer = start();
    viewer.memory().rest = 0.05f;
    auto& model = viewer.model();
    // Shows all that costs memory in a picture of this size, and then the small picture alone.
    auto visit = [&](Extent picture) {
        show(picture);
        model.view.histogram.marks_shown = true;
        toggle_leaf_boxes(model);
        compare_trees(model);
        model.view.compare.mode = CompareMode::flip;
        settle();
        step_until([&] {
            return model.view.compare.flip_of(model.session) && model.view.histogram.found;
        });
        Held held_there = held();
        model.view.histogram.marks_shown = false;
        toggle_boxes(model);
        end_comparison(model);
        show(kSmall);
        settle();
        return held_there;
    };
    // The first time, the driver compiles shaders and threads start.
    (void)visit(kSmall);
    Held before = held();
    EXPECT_EQ(before.film, std::size_t(kSmall.pixels()) * (2 * sizeof(vec4) + 4));
    Held large = visit(kLarge);
    EXPECT_GT(large.film, 10 * before.film);
    EXPECT_GT(large.histogram, std::size_t(kLarge.pixels()));
    Held after = held();
    EXPECT_EQ(after.film, before.film);
    EXPECT_EQ(after.histogram, before.histogram);
    // Less than a byte for each pixel of the large picture.
    EXPECT_LT(after.device, before.device + std::size_t(kLarge.pixels()));
    EXPECT_TRUE(model.view.boxes.found[0].boxes.empty());
    // The large state takes half as much again. The driver keeps some buffers of its largest
    // window, and the heap pieces between blocks in use.
    double growth = double(after.resident) / double(before.resident);
    EXPECT_LT(growth, test::kSanitized ? 10 : 1.1);
}

TEST_F(ViewerMemory, ShownThingsStay) {
    Viewer& viewer = start();
    viewer.memory().rest = 0.05f;
    auto& model = viewer.model();
    show(kSmall);
    toggle_leaf_boxes(model);
    model.view.histogram.marks_shown = true;
    settle();
    step_until([&] { return model.view.histogram.found != nullptr && viewer.memory().done(); });
    steps(3);
    EXPECT_FALSE(model.view.boxes.found[0].boxes.empty());
    EXPECT_NE(model.view.histogram.texture, 0u);
    // Released memory is allocated again as soon as its view is shown.
    toggle_boxes(model);
    step_until([&] { return model.view.boxes.found[0].boxes.empty(); });
    toggle_boxes(model);
    model.view.paused = false;
    step_until([&] { return !model.view.boxes.found[0].boxes.empty(); });
}

// The copy of the film that each of them is counted in, 16 bytes a pixel, is not kept.
TEST_F(ViewerMemory, HistogramsOfLaterSamplesKeepTheirMarksAlone) {
    Viewer& viewer = start();
    viewer.memory().rest = 0.05f;
    auto& model = viewer.model();
    show(kSmall);
    model.view.histogram.marks_shown = true;
    settle();
    step_until([&] { return model.view.histogram.found && viewer.memory().done(); });
    auto first = model.view.histogram.version;
    model.view.paused = false;
    step_until([&] { return model.view.histogram.version > first; });
    model.view.paused = true;
    auto marks = std::size_t(kSmall.pixels()) * 4;
    step_until([&] { return viewer.memory().done() && viewer.histogram_bytes() == marks; });
}

TEST_F(ViewerMemory, OfFramesGoesBackWhenTheyHaveEnded) {
    if (test::kSanitized) GTEST_SKIP() << "sanitizers have an allocator of their own";
    Viewer& viewer = start();
    viewer.memory().rest = 0.05f;
    auto& model = viewer.model();
    choose_renderer(model, "photon");
    show(kLarge);
    // Memory that is released while frames continue is allocated again by the next one.
    model.view.paused = false;
    step_until([&] { return model.session.samples() >= 4; });
    auto with_frames = allocated_bytes();
    settle();
    EXPECT_LT(allocated_bytes(), with_frames - std::size_t(kLarge.pixels()) * sizeof(vec4));
}

TEST_F(ViewerMemory, GoesBackWhenDroppedWorkHasEnded) {
    Viewer& viewer = start();
    viewer.memory().rest = 0.05f;
    show(kSmall);
    BackgroundJob<int> job;
    std::atomic<bool> begun = false, ends = false;
    job.start("dropped", 0, [&](JobRun&, int&) {
        begun = true;
        while (!ends) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    step_until([&] { return begun.load(); });
    job.drop();
    settle();
    ends = true;
    while (BackgroundWork::any_works()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    // It counts as ended a moment later.
    step_until([&] { return !viewer.memory().done(); });
    step_until([&] { return viewer.memory().done(); });
}

TEST(FilmMemory, TrimGivesBackTheRestAndKeepsTheSamples) {
    auto stream = find_device("cpu").create_stream();
    Film film;
    film.resize(*stream, {64, 64});
    film.resize(*stream, {8, 4});
    EXPECT_EQ(film.bytes(), 64u * 64 * (2 * sizeof(vec4) + 4)) << "a resize keeps memory";
    std::vector<vec4> sums(32, vec4(1, 2, 3, 2));
    stream->device().upload(*stream, film.view().radiance_sum, sums.data(),
                            sums.size() * sizeof(vec4));
    film.trim(*stream);
    EXPECT_EQ(film.bytes(), 32u * (2 * sizeof(vec4) + 4));
    EXPECT_EQ(film.radiance(*stream).rgb, std::vector<vec3>(32, vec3(0.5f, 1, 1.5f)));
}

TEST(FittingArray, HoldsAtMostTwiceWhatItNeeds) {
    auto stream = find_device("cpu").create_stream();
    DeviceArray<float> array;
    resize_fitting(array, *stream, 1000);
    resize_fitting(array, *stream, 500);
    EXPECT_EQ(array.capacity(), 1000u);
    resize_fitting(array, *stream, 499);
    EXPECT_EQ(array.capacity(), 499u);
}

TEST(SolverHistory, OlderOutcomesKeepNoMemoryForTheirResults) {
    EigOutcome eig;
    eig.values.assign(1000, 1.0);
    eig.shrink();
    EXPECT_EQ(eig.values.capacity(), 0u);
    PoseOutcome pose;
    pose.estimate.inliers.assign(1000, 1);
    pose.pictures = {{8, 8}, std::vector<std::uint8_t>(256)};
    pose.shrink();
    EXPECT_EQ(pose.estimate.inliers.capacity(), 0u);
    EXPECT_EQ(pose.pictures.rgba.capacity(), 0u);
}

}  // namespace
}  // namespace tl::memory_tests
