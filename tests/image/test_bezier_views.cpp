// Views of the Bezier backend: false colours of misses, steps and tests, whose sums must equal the
// counts; and lines of equal u and v. On every device of the machine.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>

#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/source_path.h"

namespace tl::bezier_views_tests {
namespace {

constexpr Extent kExtent{96, 54};
constexpr const char* kModes[] = {"certified", "kajiya", "kajiya-real", "newton", "clipping"};

std::size_t index_of(int x, int y, int width) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
}

class BezierView {
  public:
    BezierView(Device& device, const std::string& mode, const std::string& show,
               bool compare = false, const std::string& scene = "teapots.toml",
               Extent extent = kExtent)
        : session_(device) {
        session_.set_scene(std::make_shared<Scene>(load_scene(source_path("scenes/") + scene)));
        session_.set_renderer("bezier");
        session_.settings().set("bezier", "mode", mode);
        session_.settings().set("bezier", "show", show);
        session_.settings().set("bezier", "compare", compare ? "true" : "false");
        session_.resize(extent);
        frame();
        for (auto& count : session_.inspection().frame_counts()) counts_[count.name] = count;
    }

    void frame() {
        session_.begin_frame();
        session_.render_frame();
        session_.end_frame();
    }
    [[nodiscard]] Session& session() { return session_; }
    [[nodiscard]] FrameCount count(const std::string& name) const {
        auto at = counts_.find(name);
        if (at != counts_.end()) return at->second;
        ADD_FAILURE() << "no count " << name;
        return {};
    }
    [[nodiscard]] bool has(const std::string& name) const { return counts_.contains(name); }
    [[nodiscard]] ImageF image() { return session_.film().radiance(session_.stream()); }
    [[nodiscard]] std::uint64_t n_pixels_with_values() {
        std::uint64_t n = 0;
        for (int y = 0; y < kExtent.height; ++y)
            for (int x = 0; x < kExtent.width; ++x)
                n += session_.renderer().false_color()->value(session_.stream(), x, y) > 0;
        return n;
    }
    [[nodiscard]] double sum_of_values() {
        double sum = 0;
        for (int y = 0; y < kExtent.height; ++y)
            for (int x = 0; x < kExtent.width; ++x)
                sum += double(session_.renderer().false_color()->value(session_.stream(), x, y));
        return sum;
    }
    /// Number of pixels for each text under the cursor; every text must have a unique colour.
    [[nodiscard]] std::map<std::string, std::uint64_t> pixels_of_texts() {
        auto colors = image();
        std::map<std::string, std::uint64_t> n_pixels;
        Extent extent = colors.extent;
        for (int y = 0; y < extent.height; ++y)
            for (int x = 0; x < extent.width; ++x) {
                auto text = session_.renderer().false_color()->text(session_.stream(), x, y);
                vec3 color = colors.rgb[index_of(x, y, extent.width)];
                ++n_pixels[text];
                color_of_.emplace(text, color);
                EXPECT_EQ(color_of_[text], color) << text;
            }
        for (auto& [text, color] : color_of_)
            for (auto& [other, others] : color_of_)
                if (text != other) {
                    EXPECT_NE(color, others) << text << ", " << other;
                }
        return n_pixels;
    }

    /// The colour of a text that pixels_of_texts() has found.
    [[nodiscard]] vec3 color_of(const std::string& text) const { return color_of_.at(text); }

  private:
    Session session_;
    std::map<std::string, FrameCount> counts_;
    std::map<std::string, vec3> color_of_;
};

/// A flat emissive patch from -1 to 1 in x (along u) and y (along v). It is 80 pixels wide in a
/// picture of 120; a pixel is 0.025 wide.
std::shared_ptr<Scene> square_patch() {
    auto scene = std::make_shared<Scene>();
    Material glowing;
    glowing.emission = vec3(1);
    scene->materials = {glowing};
    PatchSet set;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            set.points.emplace_back(-1 + 2 * float(i) / 3, -1 + 2 * float(j) / 3, 0);
    set.material_of_patch = {0};
    scene->patches.push_back(set);
    float fov = 2 * std::atan(1.5f / 4) * 180 / std::numbers::pi_v<float>;
    scene->camera = {{0, 0, 4}, {0, 0, 0}, {0, 1, 0}, fov};
    return scene;
}

ImageF picture_with_uv_lines(Device& device, int n) {
    constexpr int kSamples = 16;
    Session session(device);
    session.set_scene(square_patch());
    session.set_renderer("bezier");
    session.settings().set("bezier", "uv-lines", std::to_string(n));
    session.resize({120, 120});
    for (int i = 0; i < kSamples; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
    return session.film().radiance(session.stream());
}

}  // namespace

TEST(BezierViews, MissesHaveTheirColorAndAreAsManyAsCounted) {
    // Large enough to contain rays that just graze the outline.
    constexpr Extent kLarge{320, 214};
    for (Device* device : devices())
        for (std::string mode : {"certified", "newton", "kajiya"}) {
            BezierView view(*device, mode, "misses", false, "teapot.toml", kLarge);
            std::printf("%s on %s: %llu missed, %llu false\n", mode.c_str(), device->name().c_str(),
                        static_cast<unsigned long long>(view.count("primary misses").value),
                        static_cast<unsigned long long>(view.count("primary false hits").value));
            auto pixels = view.pixels_of_texts();
            EXPECT_EQ(pixels["missed"], view.count("primary misses").value);
            EXPECT_EQ(pixels["false hit"], view.count("primary false hits").value);
            EXPECT_EQ(
                pixels["missed"] + pixels["same hit"] + pixels["false hit"] + pixels["background"],
                static_cast<std::uint64_t>(kLarge.pixels()));
            EXPECT_GT(pixels["same hit"], static_cast<std::uint64_t>(kLarge.pixels() / 4));
            EXPECT_GT(pixels["background"], 0u);
            if (mode == "certified") {
                EXPECT_EQ(pixels["missed"] + pixels["false hit"], 0u);
            }
            if (mode == "newton") {
                EXPECT_GT(pixels["missed"], 0u);
            }
            auto scale = view.session().renderer().false_color()->scale(view.session().stream());
            EXPECT_FALSE(scale.is_ramp());
            ASSERT_EQ(scale.colors.size(), 4u);
            for (auto& [color, name] : scale.colors)
                if (pixels[name] > 0) {
                    EXPECT_EQ(view.color_of(name), color) << name;
                }
        }
}

TEST(BezierViews, StepsAndTestsOfPixelsSumToTheCounts) {
    TL_LONG_TEST();
    for (Device* device : devices())
        for (std::string mode : kModes) {
            BezierView steps(*device, mode, "iterations"), tests(*device, mode, "tests");
            auto n_steps = steps.count("primary steps"), n_tests = tests.count("primary tests");
            EXPECT_EQ(steps.sum_of_values(), double(n_steps.value)) << mode;
            EXPECT_EQ(tests.sum_of_values(), double(n_tests.value)) << mode;
            EXPECT_EQ(n_steps.n_rays, std::uint64_t(kExtent.pixels())) << mode;
            EXPECT_GT(n_tests.value, 0) << mode;
            EXPECT_GT(n_steps.value, n_tests.value / 20) << mode;
            if (mode.starts_with("kajiya")) {
                // Compare with the counters of the stages.
                EXPECT_EQ(n_tests.value, tests.count("primary pairs").value);
                EXPECT_EQ(n_steps.value, steps.count("primary iterations").value);
                EXPECT_EQ(tests.n_pixels_with_values(), tests.count("primary pairs").n_rays);
            }
            auto scale = steps.session().renderer().false_color()->scale(steps.session().stream());
            EXPECT_GT(scale.top, 0);
            EXPECT_NEAR(double(scale.mean) * kExtent.pixels(), double(n_steps.value),
                        1e-4 * double(n_steps.value));
        }
}
TEST(BezierViews, AreMeansOverTheSamples) {
    for (Device* device : devices()) {
        BezierView view(*device, "newton", "tests");
        double first = view.sum_of_values();
        view.frame();
        for (auto& count : view.session().inspection().frame_counts())
            if (count.name == "primary tests") {
                EXPECT_NEAR(view.sum_of_values(), (first + double(count.value)) / 2, 1e-3 * first);
            }
    }
}
TEST(BezierViews, ComparingCountsTheCertifiedMethodAndLeavesThePicture) {
    TL_LONG_TEST();
    for (Device* device : devices())
        for (const char* mode : kModes) {
            BezierView plain(*device, mode, "picture"), compared(*device, mode, "picture", true);
            EXPECT_EQ(plain.session().renderer().false_color(), nullptr);
            EXPECT_EQ(plain.image().rgb, compared.image().rgb);
            EXPECT_FALSE(plain.has("primary steps"));
            for (const char* name : {"primary tests", "primary steps", "certified tests",
                                     "certified steps", "primary hits"})
                EXPECT_GT(compared.count(name).value, 0) << mode;
            if (std::string(mode) == "newton") {
                // Both methods visit the same leaves as long as both hit.
                double ratio = double(compared.count("primary tests").value) /
                               double(compared.count("certified tests").value);
                EXPECT_NEAR(ratio, 1, 0.2);
            }
        }
}
TEST(BezierViews, LinesLieAtEqualPartsOfUAndV) {
    constexpr int kLines = 4, kSize = 120, kFirst = 20, kApart = 80 / kLines;  // pixels
    for (Device* device : devices()) {
        auto plain = picture_with_uv_lines(*device, 0);
        auto lined = picture_with_uv_lines(*device, kLines);
        for (bool across : {false, true}) {
            auto at = [&](const ImageF& image, int k, int other) {
                int x = across ? other : k, y = across ? k : other;
                return image.rgb[index_of(x, y, kSize)].x;
            };
            // A row between two lines of the other kind.
            int row = kFirst + kApart / 2;
            double darkness = 0;
            for (int k = kFirst + 2; k < kFirst + 78; ++k) {
                EXPECT_FLOAT_EQ(at(plain, k, row), 1);
                int from_line =
                    (k - kFirst + kApart / 2) % kApart - kApart / 2;  // of its left edge
                float light = at(lined, k, row);
                darkness += 1 - double(light);
                if (from_line == 0 || from_line == -1) {
                    EXPECT_LT(light, 0.8f) << k;
                } else if (from_line > 1 || from_line < -2) {
                    EXPECT_FLOAT_EQ(light, 1) << k;
                }
            }
            // Each of the three inner lines removes four fifths of a pixel's light.
            EXPECT_NEAR(darkness, 3 * 0.8, 0.25);
        }
    }
}

}  // namespace tl::bezier_views_tests
