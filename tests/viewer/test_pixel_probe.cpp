// Hit, surface and radiance at the pixel under the cursor.
#include "app/viewer/views/pixel_probe.h"

#include "tests/image/picture.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::pixel_probe_tests {
namespace {

TEST(PixelProbe, TellsWhatTheRayThroughAPixelMeets) {
    Session session(find_device("cpu"));
    session.set_scene(test::half_plane_scene());
    session.resize({40, 30});
    EXPECT_FALSE(probe_pixel(session, 5, 5).inside()) << "before the first frame";
    for (int i = 0; i < 3; ++i) session.render_frame();
    EXPECT_FALSE(probe_pixel(session, 40, 5).inside());

    auto right = probe_pixel(session, 30, 15);
    ASSERT_TRUE(right.hit);
    EXPECT_EQ(right.samples, 3u);
    EXPECT_EQ(right.radiance, vec3(1));
    EXPECT_NEAR(right.position.z, -2, 1e-5f);
    EXPECT_GT(right.position.x, 0);
    EXPECT_NEAR(right.distance, glm::length(right.position), 1e-5f);
    EXPECT_NEAR(std::abs(right.normal.z), 1, 1e-5f);
    EXPECT_EQ(right.material, 0u);
    EXPECT_LT(right.primitive, 2u);
    EXPECT_EQ(right.instance, ProbedPixel::kNoInstance);

    auto left = probe_pixel(session, 10, 15);
    EXPECT_TRUE(left.inside());
    EXPECT_FALSE(left.hit);
    EXPECT_EQ(left.radiance, vec3(0));
}

TEST(PixelProbe, TellsWhatIsDisplayedAndHowFarThatMayBeOff) {
    Session session(find_device("cpu"));
    session.set_scene(test::half_plane_scene());
    session.resize({40, 30});
    session.display().config().tone_map = {.exposure = -1};
    session.render_frame();
    EXPECT_FALSE(probe_pixel(session, 30, 15).error) << "one sample does not tell";
    for (int i = 1; i < 4; ++i) session.render_frame();
    auto right = probe_pixel(session, 30, 15);
    EXPECT_EQ(right.displayed, (std::array{188, 188, 188})) << "sRGB of a half";
    EXPECT_EQ(probe_pixel(session, 10, 15).displayed, (std::array{0, 0, 0}));
    ASSERT_TRUE(right.error);
    EXPECT_EQ(*right.error, 0) << "all samples are equal";
    auto edge = probe_pixel(session, 20, 15);
    ASSERT_TRUE(edge.error);
    EXPECT_GE(*edge.error, 0);
    session.restart();
    session.render_frame();
    EXPECT_FALSE(probe_pixel(session, 30, 15).error) << "the halves are those of another picture";
}

TEST(PixelProbe, FollowsTheSessionToAnotherStream) {
    auto& device = find_device("cpu");
    Session session(device);
    session.set_scene(test::half_plane_scene());
    session.resize({40, 30});
    for (int moves = 0; moves < 3; ++moves) {
        session.render_frame();
        EXPECT_TRUE(probe_pixel(session, 30, 15).hit);
        session.set_device(device, device.create_stream());
    }
}

class PixelUnderTheCursor : public OffscreenViewer {};

TEST_F(PixelUnderTheCursor, IsProbedAndCanBecomeTheTarget) {
    auto& model = start().model();
    auto picture = model.view.layout.picture;
    context_->push(CursorEvent{vec2(40, kTop + 40)});
    step_until([&] { return model.view.pixel.at_cursor.hit; });
    picture = model.view.layout.picture;
    EXPECT_EQ(model.view.pixel.at_cursor.x, 40 - picture.x);
    vec3 there = model.view.pixel.at_cursor.position;
    EXPECT_GT(glm::length(model.view.camera.camera().target - there), 0.01f);
    for (int click = 0; click < 2; ++click) {
        context_->push(ButtonEvent{MouseButton::left, true, {}});
        context_->push(ButtonEvent{MouseButton::left, false, {}});
    }
    step_until([&] { return glm::length(model.view.camera.camera().target - there) < 0.01f; });
}

}  // namespace
}  // namespace tl::pixel_probe_tests
