// Samples that are added to a picture until the display is due.
#include "tests/viewer/offscreen_viewer.h"

namespace tl::gathering_tests {
namespace {

class Gathering : public OffscreenViewer {
  protected:
    static constexpr double kRefresh = test::kSanitized ? 2 : 0.3;  ///< seconds

    /// Frames observed during four refreshes of the display while the camera flies.
    struct Flight {
        int n_frames = 0, n_places = 0;
        std::uint32_t most_samples = 0;
    };
    Flight fly(bool gather) {
        viewer_.reset();
        context_.reset();
        context_ = std::make_unique<EglContext>(window_for(kPicture, 1, true), kRefresh);
        ViewerOptions options;
        options.gather_samples = gather;
        start(options);
        steps(3);
        context_->push(KeyEvent{Key::w, Key::w, true, false, {}});
        steps(3);
        Flight flight;
        vec3 place = session_->camera.eye;
        std::chrono::duration<double> four(4 * kRefresh);
        auto end = std::chrono::steady_clock::now() + four;
        while (std::chrono::steady_clock::now() < end) {
            steps(1);
            ++flight.n_frames;
            flight.n_places += session_->camera.eye != place;
            place = session_->camera.eye;
            flight.most_samples = std::max(flight.most_samples, session_->samples());
        }
        return flight;
    }
};

TEST_F(Gathering, AddsSamplesToTheSameMomentWhileTheViewMoves) {
    auto flight = fly(true);
    EXPECT_GE(flight.n_places, 2);
    EXPECT_LE(flight.n_places, 6);
    EXPECT_GE(flight.most_samples, 2u);
    EXPECT_GT(flight.n_frames, flight.n_places);
}

TEST_F(Gathering, MovesWithEachSampleOnRequest) {
    auto flight = fly(false);
    EXPECT_EQ(flight.most_samples, 1u);
    EXPECT_EQ(flight.n_places, flight.n_frames);
}

TEST_F(Gathering, ARunOfFramesShowsEachAtItsOwnMoment) {
    session_->set_scene(std::make_shared<Scene>(load_scene("generate:waves,triangles=200")));
    viewer_.reset();
    context_.reset();
    context_ = std::make_unique<EglContext>(window_for(kPicture, 1, true), kRefresh);
    ViewerOptions options;
    options.frames = 20;
    options.play = true;
    start(options);
    for (float last = -1; viewer_->step();) {
        EXPECT_NE(session_->time, last);
        EXPECT_EQ(session_->samples(), 1u);
        last = session_->time;
    }
}

}  // namespace
}  // namespace tl::gathering_tests
