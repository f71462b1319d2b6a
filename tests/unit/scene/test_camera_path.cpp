// Cameras between cameras, and the files that name them.
#include "renderer/scene/camera_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "renderer/scene/toml/camera_path_file.h"
#include "tests/unit/temp_folder.h"

namespace tl::camera_path_tests {
namespace {

using test::refusal;
using test::TempFolder;

TimedCamera eye_at(double time, float x) {
    TimedCamera timed{.time = time, .camera = {}};
    timed.camera.eye = vec3(x, 0, 5);
    return timed;
}

TEST(CameraPath, GoesThroughItsCamerasAndRestsAtTheEnds) {
    CameraPath path({eye_at(1, 0), eye_at(2, 4), eye_at(4, 3)});
    for (auto [time, x] :
         {std::pair{1.0, 0.0f}, {2.0, 4.0f}, {4.0, 3.0f}, {-5.0, 0.0f}, {9.0, 3.0f}})
        EXPECT_EQ(path.at(time).eye.x, x) << time;
}

TEST(CameraPath, IsStraightBetweenTwoCameras) {
    CameraPath path({eye_at(0, 0), eye_at(2, 8)});
    for (double time : {0.25, 0.5, 1.0, 1.75})
        EXPECT_FLOAT_EQ(path.at(time).eye.x, static_cast<float>(4 * time));
}

TEST(CameraPath, IsACatmullRomSpline) {
    // Halfway between the middle two of four equidistant points: (-p0 + 9 p1 + 9 p2 - p3) / 16.
    CameraPath path({eye_at(0, 1), eye_at(1, 0), eye_at(2, 2), eye_at(3, -3)});
    EXPECT_FLOAT_EQ(path.at(1.5).eye.x, (-1 + 9 * 0 + 9 * 2 + 3) / 16.0f);
}

TEST(CameraPath, HasNoKinks) {
    // The speed on both sides of a camera whose neighbours are not equally far.
    CameraPath path({eye_at(0, 0), eye_at(1, 3), eye_at(3, -2), eye_at(4, 1)});
    constexpr double kStep = 1e-3;
    for (double time : {1.0, 3.0}) {
        double before = double(path.at(time).eye.x) - double(path.at(time - kStep).eye.x);
        double after = double(path.at(time + kStep).eye.x) - double(path.at(time).eye.x);
        // The second derivative is at most about 20, and floats of 3 have steps of 2.4e-7.
        EXPECT_NEAR(before / kStep, after / kStep, 20 * kStep + 1e-3);
    }
}

TEST(CameraPath, KeepsTheFieldOfViewPossible) {
    std::vector<TimedCamera> cameras;
    for (float fov : {90.0f, 1.0f, 1.0f, 90.0f}) {
        cameras.push_back(eye_at(double(cameras.size()), 0));
        cameras.back().camera.vertical_fov = fov;
    }
    CameraPath path(std::move(cameras));
    EXPECT_EQ(path.at(1.5).vertical_fov, kNarrowestFov);
    EXPECT_EQ(camera_fault(path.at(1.5)), "");
}

TEST(Turntable, TurnsAboutTheTarget) {
    Camera camera{.eye = {1, 3, 2}, .target = {1, 1, 0}, .up = {0, 2, 0}};
    constexpr double kQuarter = std::numbers::pi / 2;
    auto turned = turned_about_target(camera, kQuarter);
    EXPECT_NEAR(glm::length(turned.eye - vec3(3, 3, 0)), 0, 1e-6);
    EXPECT_EQ(turned.target, camera.target);
    EXPECT_EQ(turned.up, camera.up);
    EXPECT_EQ(turned_about_target(camera, 0).eye, camera.eye);
}

constexpr const char* kTomlPath = R"([[camera]]
time = 0
eye = [0, 1, 5]
target = [0, 1, 0]

[[camera]]
time = 2.5
eye = [4, 1, 5]
target = [0, 0, 0]
up = [0, 0, 1]
fov = 60
lens-radius = 0.25
focus-distance = 3
)";

constexpr const char* kJsonPath = R"({"version": 1, "camera": [
  {"time": 0, "eye": [0, 1, 5], "target": [0, 1, 0], "fov": null},
  {"time": 2.5, "eye": [4, 1, 5], "target": [0, 0, 0], "up": [0, 0, 1], "fov": 60,
   "lens-radius": 0.25, "focus-distance": 3}]})";

TEST(CameraPathFiles, AreTomlOrJson) {
    TempFolder folder;
    Camera start{.vertical_fov = 33};
    for (auto& file : {folder.write("a.toml", kTomlPath), folder.write("a.json", kJsonPath)}) {
        Warnings warnings;
        auto path = read_camera_path(file, start, {}, warnings);
        EXPECT_TRUE(warnings.empty());
        Camera first{.eye = {0, 1, 5}, .target = {0, 1, 0}, .vertical_fov = 33};
        Camera last{.eye = {4, 1, 5},
                    .target = {0, 0, 0},
                    .up = {0, 0, 1},
                    .vertical_fov = 60,
                    .lens_radius = 0.25f,
                    .focus_distance = 3};
        EXPECT_TRUE(path.at(0) == first) << file;
        EXPECT_TRUE(path.at(2.5) == last) << file;
        // In a scene that was moved to the origin.
        auto moved = read_camera_path(file, start, {-4512300, 0, 100}, warnings);
        EXPECT_EQ(moved.at(0).eye, vec3(4512300, 1, -95));
    }
}

TEST(CameraPathFiles, DeepOnesAreRefusedBeforeTheyAreParsed) {
    TempFolder folder;
    Warnings warnings;
    auto fault = [&](const std::string& name, const std::string& text) {
        return refusal([&] { (void)read_camera_path(folder.write(name, text), {}, {}, warnings); });
    };
    std::string key, open;
    for (int i = 0; i < 50'000; ++i) key += "a.", open += "[";
    TL_EXPECT_CONTAINS(fault("a.toml", "\n" + key + "b = 1\n"), "a.toml:2: a key has more than 32");
    TL_EXPECT_CONTAINS(fault("a.toml", "[" + key + "b]\n"), "a.toml:1: a key has more than 32");
    TL_EXPECT_CONTAINS(fault("a.toml", "a = " + open),
                       "a.toml:1: brackets are more than 32 levels");
    TL_EXPECT_CONTAINS(fault("a.json", "{\"camera\": " + open),
                       "a.json: lists and objects are nested too deeply");
}

TEST(CameraPathFiles, FaultsAreToldByFileAndLine) {
    TempFolder folder;
    Warnings warnings;
    auto fault = [&](const std::string& name, const std::string& text) {
        return refusal([&] { (void)read_camera_path(folder.write(name, text), {}, {}, warnings); });
    };
    std::string toml(kTomlPath);
    auto with = [&](const std::string& from, const std::string& to) {
        std::string text = toml;
        return text.replace(text.find(from), from.size(), to);
    };
    TL_EXPECT_CONTAINS(fault("a.toml", ""), "a.toml:1: a camera path needs a list of cameras");
    TL_EXPECT_CONTAINS(fault("a.toml", "camera = 3"), "needs a list of cameras");
    TL_EXPECT_CONTAINS(fault("a.json", "{\"camera\": []}"), "write {\"camera\": [{\"time\": 0");
    TL_EXPECT_CONTAINS(fault("a.toml", "camera = [3]"), "a.toml:1: [[camera]] 1 is no table");
    TL_EXPECT_CONTAINS(fault("a.toml", "x = "), "a.toml:1: ");
    TL_EXPECT_CONTAINS(fault("a.toml", with("time = 2.5", "time = 0")),
                       "a.toml:7: [[camera]] 2 is not later than the one before it");
    TL_EXPECT_CONTAINS(fault("a.toml", with("time = 2.5\n", "")), "[[camera]] 2 needs 'time'");
    TL_EXPECT_CONTAINS(fault("a.toml", with("[0, 1, 5]", "[0, 1, 0]")),
                       "a.toml:3: [[camera]] 1 eye and target are the same point");
    TL_EXPECT_CONTAINS(fault("a.toml", with("[0, 0, 1]", "[0, 0, 0]")),
                       "a.toml:10: [[camera]] 2 up has no length");
    TL_EXPECT_CONTAINS(fault("a.toml", with("time = 2.5", "time = nan")), "is not finite");
    TL_EXPECT_CONTAINS(fault("a.toml", with("fov = 60", "fov = 180")), "it wants 1 to 179");
    TL_EXPECT_CONTAINS(fault("a.json", "{\"camera\": [{\"time\""), "a.json: parse error at line 1");
    TL_EXPECT_CONTAINS(fault("a.json", "[]"), "a.json: is no JSON object");
    TL_EXPECT_CONTAINS(fault("a.json", "{\"camera\": [{\"time\": \"0\"}]}"),
                       "a.json: [[camera]] 1 needs 'eye'");
    TL_EXPECT_CONTAINS(
        fault("a.json", "{\"a\": " + std::string(100, '[') + std::string(100, ']') + "}"),
        "nested too deeply");
    TL_EXPECT_CONTAINS(
        refusal([&] { (void)read_camera_path(folder.path("none.toml"), {}, {}, warnings); }),
        "no such file");
    EXPECT_TRUE(warnings.empty());
    (void)read_camera_path(folder.write("a.toml", toml + "zoom = 2\n"), {}, {}, warnings);
    ASSERT_EQ(warnings.size(), 1u);
    TL_EXPECT_CONTAINS(warnings[0], "a.toml:14: unknown key 'zoom' in [[camera]] 2");
}

}  // namespace
}  // namespace tl::camera_path_tests
