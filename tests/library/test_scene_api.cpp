// The C interface of scenes: its pictures are those of a session, and settings of one call do not
// reach the next. Wrong arguments, damaged files and cancelled calls return a status.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "library/api/treelight.h"
#include "session/add_samples.h"
#include "session/session_options.h"
#include "tests/source_path.h"
#include "tests/unit/temp_folder.h"

extern "C" int render_from_c(const char* device);

namespace tl::scene_api_tests {

TEST(SceneApiOnCpu, WorksFromC) {
    EXPECT_EQ(render_from_c("cpu"), 0) << tl_last_error();
}
TEST(SceneApiOnCuda, WorksFromC) {
    if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence();
    EXPECT_EQ(render_from_c("cuda"), 0) << tl_last_error();
}

constexpr Extent kSize{24, 16};
const std::string kBox = source_path("scenes/cornell-box.toml");

using Values = std::vector<tl_setting>;

class SceneApi : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(tl_scene_open(kBox.c_str(), nullptr, 0, nullptr, nullptr, &scene_), TL_OK)
            << tl_last_error();
    }
    void TearDown() override { tl_scene_close(scene_); }

    tl_status try_render(Values settings, tl_progress progress = nullptr, void* context = nullptr) {
        settings.push_back({"device", "cpu"});
        pixels_.assign(3 * std::size_t(kSize.pixels()), -1);
        picture_ = {kSize.width, kSize.height, 3, pixels_.data(), 0};
        return tl_render(scene_, settings.data(), settings.size(), &picture_, progress, context);
    }
    std::vector<float> render(const Values& settings) {
        EXPECT_EQ(try_render(settings), TL_OK) << tl_last_error();
        return pixels_;
    }
    /// The status of tl_render() with one setting.
    tl_status with(const char* name, const char* value) { return try_render({{name, value}}); }

    tl_scene* scene_ = nullptr;
    std::vector<float> pixels_;
    tl_picture picture_{};
};

/// The picture of a session that is made for these options, as `treelight render` does it.
std::vector<float> picture_of(SessionOptions o, int spp) {
    o.scene = kBox;
    o.device = "cpu";
    o.size = kSize;
    auto session = make_session(o);
    AovBuffers no_layers;
    add_samples(
        *session, spp, no_layers, [] { return false; }, [] {});
    std::vector<float> numbers;
    for (vec3 pixel : radiance_of(session->stream(), session->display().shown_film()).rgb)
        for (int c = 0; c < 3; ++c) numbers.push_back(pixel[c]);
    return numbers;
}

TEST_F(SceneApi, PicturesAreThoseOfASessionWithTheSameOptions) {
    SessionOptions o;
    o.renderer = "path";
    o.builder = "lbvh";
    o.seed = 12345678901234567890u;
    o.eye = {0.3f, 0.4f, -0.9f};
    o.fov = 60;
    o.lens_radius = 0.02f;
    o.settings["path.max-depth"] = "3";
    auto expected = picture_of(o, 3);
    EXPECT_EQ(render({{"renderer", "path"},
                      {"builder", "lbvh"},
                      {"seed", "12345678901234567890"},
                      {"eye", "0.3,0.4,-0.9"},
                      {"fov", "60"},
                      {"lens-radius", "0.02"},
                      {"path-max-depth", "3"},
                      {"spp", "3"}}),
              expected);
    EXPECT_EQ(picture_.samples, 3);
    EXPECT_NE(expected, std::vector<float>(expected.size(), expected[0]));
}

TEST_F(SceneApi, SettingsOfOneCallDoNotReachTheNext) {
    auto first = render({{"spp", "2"}});
    EXPECT_EQ(first, picture_of({}, 2));
    for (Values settings : {Values{{"fov", "20"}},
                            {{"renderer", "path"}},
                            {{"builder", "sah"}, {"target", "0,0,0"}},
                            {{"whitted-max-depth", "0"}, {"seed", "4"}, {"up", "1,0,0"}}}) {
        settings.push_back({"spp", "2"});
        EXPECT_NE(render(settings), first) << settings[0].name;
        EXPECT_EQ(render({{"spp", "2"}}), first) << "after " << settings[0].name;
    }
}

TEST_F(SceneApi, WrongSettingsAreRefused) {
    EXPECT_EQ(with("renderer", "nobody"), TL_UNKNOWN);
    EXPECT_NE(std::string(tl_last_error()).find("known: whitted"), std::string::npos);
    EXPECT_EQ(with("builder", "nobody"), TL_UNKNOWN);
    EXPECT_EQ(with("device", "abacus"), TL_UNKNOWN);
    EXPECT_EQ(with("whitted-deepness", "3"), TL_UNKNOWN);
    EXPECT_NE(std::string(tl_last_error()).find("whitted-deepness"), std::string::npos);
    EXPECT_EQ(with("whitted-max-depth", "99"), TL_INVALID);
    EXPECT_NE(std::string(tl_last_error()).find("integer 0 to 32"), std::string::npos);
    for (auto* wrong : {"0", "-1", "many", "", "1048577"})
        EXPECT_EQ(with("spp", wrong), TL_INVALID);
    for (auto* wrong : {"-1", "1.5", "", "18446744073709551616"})
        EXPECT_EQ(with("seed", wrong), TL_INVALID);
    for (auto* wrong : {"1,2", "1,2,3,4", "1,2,", ",,", "1,2,x", "", "1 2 3", "1,2,nan"})
        EXPECT_EQ(with("eye", wrong), TL_INVALID) << wrong;
    EXPECT_EQ(with("up", "0,0,0"), TL_INVALID);
    EXPECT_NE(std::string(tl_last_error()).find("up has no length"), std::string::npos);
    for (auto* wrong : {"0", "180", "nan"}) EXPECT_EQ(with("fov", wrong), TL_INVALID);
    EXPECT_EQ(with("time", "-1"), TL_INVALID);
    EXPECT_EQ(with(nullptr, "1"), TL_INVALID);
    EXPECT_EQ(with("spp", nullptr), TL_INVALID);
    EXPECT_EQ(picture_.samples, 0);
    EXPECT_EQ(pixels_, std::vector<float>(pixels_.size(), -1));
    EXPECT_EQ(with("spp", "1"), TL_OK);
}

TEST_F(SceneApi, WrongPicturesAreRefused) {
    float pixel[4];
    auto status = [&](int width, int height, int channels, float* pixels) {
        tl_picture picture{width, height, channels, pixels, 7};
        return tl_render(scene_, nullptr, 0, &picture, nullptr, nullptr);
    };
    for (int wrong : {0, -1, 16385}) {
        EXPECT_EQ(status(wrong, 1, 3, pixel), TL_INVALID);
        EXPECT_EQ(status(1, wrong, 3, pixel), TL_INVALID);
    }
    for (int wrong : {0, 1, 2, 5, -3}) EXPECT_EQ(status(1, 1, wrong, pixel), TL_INVALID);
    EXPECT_EQ(status(1, 1, 3, nullptr), TL_INVALID);
    EXPECT_EQ(tl_render(scene_, nullptr, 0, nullptr, nullptr, nullptr), TL_INVALID);
    tl_picture picture{1, 1, 3, pixel, 0};
    EXPECT_EQ(tl_render(nullptr, nullptr, 0, &picture, nullptr, nullptr), TL_INVALID);
    EXPECT_EQ(tl_render(scene_, nullptr, 1, &picture, nullptr, nullptr), TL_INVALID);
}

TEST_F(SceneApi, ACallThatIsCancelledHasTheSamplesSoFar) {
    auto two = render({{"spp", "2"}});
    auto stop_at_half = [](void* context, const char*, double share) {
        *static_cast<double*>(context) = share;
        return share >= 0.5 ? 1 : 0;
    };
    double share = -1;
    EXPECT_EQ(try_render({{"spp", "4"}}, stop_at_half, &share), TL_CANCELLED);
    EXPECT_EQ(share, 0.5);
    EXPECT_EQ(picture_.samples, 2);
    EXPECT_EQ(pixels_, two);
}

TEST_F(SceneApi, AnotherThreadEndsACallWithinAFrame) {
    auto two = render({{"spp", "2"}});
    constexpr int kWidth = 1200;  // a frame takes longer than the pause
    std::vector<float> large(3 * kWidth * kWidth, -1);
    picture_ = {kWidth, kWidth, 3, large.data(), 7};
    const tl_setting settings[] = {{"device", "cpu"}, {"renderer", "path"}, {"spp", "1"}};
    std::atomic<bool> ended = false;
    std::thread other([&] {
        do {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            EXPECT_EQ(tl_scene_cancel(scene_), TL_OK);
        } while (!ended);
    });
    EXPECT_EQ(tl_render(scene_, settings, 3, &picture_, nullptr, nullptr), TL_CANCELLED);
    ended = true;
    other.join();
    EXPECT_EQ(picture_.samples, 0);
    EXPECT_EQ(large, std::vector<float>(large.size(), -1));
    EXPECT_EQ(render({{"spp", "2"}}), two);
    EXPECT_EQ(tl_scene_cancel(nullptr), TL_INVALID);
}

/// The status of opening, after which there is a scene only for TL_OK.
tl_status open(const std::string& path, const Values& settings = {},
               tl_progress progress = nullptr) {
    int none = 0;
    auto* scene = reinterpret_cast<tl_scene*>(&none);
    auto status =
        tl_scene_open(path.c_str(), settings.data(), settings.size(), progress, nullptr, &scene);
    EXPECT_EQ(scene != nullptr, status == TL_OK) << path;
    tl_scene_close(scene);
    return status;
}

TEST(SceneApiOpening, FindsWhatTheProgramFinds) {
    EXPECT_EQ(open("generate:blob,triangles=100"), TL_OK) << tl_last_error();
    EXPECT_EQ(open("generate:water-pool,cells=16"), TL_OK) << tl_last_error();
    EXPECT_EQ(open(source_path("scenes/teapot.toml"), {{"allow-outside", "true"}}), TL_OK);
}

TEST(SceneApiOpening, ErrorsAreStatusAndText) {
    test::TempFolder folder;
    EXPECT_EQ(open("no-such-file.toml"), TL_BAD_FILE);
    EXPECT_NE(std::string(tl_last_error()).find("no-such-file.toml"), std::string::npos);
    EXPECT_EQ(open(folder.write("damaged.toml", "[camera\n")), TL_BAD_FILE);
    EXPECT_NE(std::string(tl_last_error()).find("damaged.toml:1"), std::string::npos);
    EXPECT_NE(open("generate:nothing"), TL_OK);
    EXPECT_NE(open("generate:blob,triangles=-3"), TL_OK);
    EXPECT_EQ(open(kBox, {{"environment", "no-such-map.hdr"}}), TL_BAD_FILE);
    EXPECT_EQ(open(kBox, {{"allow-outside", "perhaps"}}), TL_INVALID);
    EXPECT_EQ(open(kBox, {{"renderer", "path"}}), TL_UNKNOWN);
    EXPECT_EQ(open(kBox, {{"environment", nullptr}}), TL_INVALID);
    EXPECT_EQ(open(kBox, {}, [](void*, const char*, double) { return 1; }), TL_CANCELLED);
    tl_scene* scene = nullptr;
    EXPECT_EQ(tl_scene_open(nullptr, nullptr, 0, nullptr, nullptr, &scene), TL_INVALID);
    EXPECT_EQ(tl_scene_open(kBox.c_str(), nullptr, 0, nullptr, nullptr, nullptr), TL_INVALID);
    EXPECT_EQ(tl_scene_open(kBox.c_str(), nullptr, 1, nullptr, nullptr, &scene), TL_INVALID);
    tl_scene_close(nullptr);
}

TEST(SceneApiOpening, TellsWhatTheSceneIs) {
    test::TempFolder folder;
    auto path =
        folder.write("scene.toml",
                     "strange = 1\n[camera]\neye = [0, 1, 5]\ntarget = [0, 1, 0]\nfov = 30\n"
                     "[[sphere]]\ncenter = [1, 2, 3]\nradius = 2\n");
    tl_scene* scene = nullptr;
    ASSERT_EQ(tl_scene_open(path.c_str(), nullptr, 0, nullptr, nullptr, &scene), TL_OK)
        << tl_last_error();
    tl_scene_info info;
    ASSERT_EQ(tl_scene_about(scene, &info), TL_OK);
    EXPECT_EQ(info.n_spheres, 1u);
    EXPECT_EQ(info.n_triangles + info.n_patches + info.n_splats + info.n_gaussians, 0u);
    EXPECT_EQ(info.lower[0], -1);
    EXPECT_EQ(info.upper[2], 5);
    EXPECT_EQ(info.eye[2], 5);
    EXPECT_EQ(info.target[1], 1);
    EXPECT_EQ(info.fov, 30);
    EXPECT_EQ(info.duration, 0);
    ASSERT_EQ(info.n_warnings, 1u);
    EXPECT_NE(std::string(tl_scene_warning(scene, 0)).find("strange"), std::string::npos);
    EXPECT_EQ(tl_scene_warning(scene, 1), nullptr);
    EXPECT_EQ(tl_scene_about(scene, nullptr), TL_INVALID);
    EXPECT_EQ(tl_scene_about(nullptr, &info), TL_INVALID);
    EXPECT_EQ(tl_scene_warning(nullptr, 0), nullptr);
    tl_scene_close(scene);
}

}  // namespace tl::scene_api_tests
