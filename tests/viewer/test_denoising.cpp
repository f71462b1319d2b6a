// The displayed denoised picture contains all samples once sampling has ended.
#include "app/viewer/actions/viewer_actions.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::denoising_tests {
namespace {

class Denoising : public OffscreenViewer {
  protected:
    ViewerModel& start_denoised(const ViewerOptions& options) {
        session_->settings().set("film", "biased-denoise", "true");
        return start(options).model();
    }
    void wait_for_samples(std::uint32_t n) {
        step_until([&] { return viewer_->model().gate.open() && session_->samples() >= n; });
    }
    void expect_that_it_settles() {
        auto& model = viewer_->model();
        step_until([&] { return model.gate.open() && !model.awaits_denoising(); });
        EXPECT_FALSE(session_->display().awaits_denoising());
        // Nothing more is smoothed.
        double seconds = session_->display().denoise_seconds();
        steps(3);
        EXPECT_EQ(session_->display().denoise_seconds(), seconds);
    }
};

TEST_F(Denoising, EndsWithAllSamples) {
    for (bool apart : {false, true}) {
        ViewerOptions options;
        options.stop_at = 7;
        options.frames_apart = apart;
        auto& model = start_denoised(options);
        wait_for_samples(7);
        expect_that_it_settles();
        auto& stages = model.status.statistics.stages();
        EXPECT_TRUE(std::ranges::any_of(stages, [](auto& s) { return s.name == kDenoiseStage; }));
        session_->restart();
    }
}

TEST_F(Denoising, APauseShowsTheSamplesSoFar) {
    auto& model = start_denoised({});
    wait_for_samples(3);
    model.view.paused = true;
    steps(1);
    expect_that_it_settles();
    EXPECT_TRUE(model.view.paused);
}

TEST_F(Denoising, SwitchingItOnWhileNothingIsSampledShowsIt) {
    ViewerOptions options;
    options.stop_at = 2;
    auto& model = start(options).model();
    wait_for_samples(2);
    EXPECT_FALSE(model.awaits_denoising());
    session_->settings().set("film", "biased-denoise", "true");
    EXPECT_TRUE(model.awaits_denoising());
    expect_that_it_settles();
}

}  // namespace
}  // namespace tl::denoising_tests
