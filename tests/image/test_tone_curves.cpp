// Tone curves against values that another program computed, on every device.
#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"
#include "core/device/array.h"
#include "renderer/film/deep_picture.h"
#include "renderer/film/film.h"
#include "session/session_options.h"
#include "tests/unit/temp_folder.h"

namespace tl::tone_curves_tests {
namespace {

struct Levels {
    int r, g, b;
};
struct CurveRow {
    vec3 radiance;
    Levels reinhard, aces, agx, neutral;  ///< of sRGB, 0 to 255
};

/// Computed in double precision, by a program of its own, from the published formulas: Reinhard
/// 2002, Narkowicz 2015, Wrensch 2023 (AgX) and Khronos 2024 (PBR Neutral).
constexpr CurveRow kRows[] = {
    {{0.0f, 0.0f, 0.0f}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
    {{0.02f, 0.02f, 0.02f}, {38, 38, 38}, {26, 26, 26}, {37, 37, 37}, {8, 8, 8}},
    {{0.18f, 0.18f, 0.18f}, {109, 109, 109}, {141, 141, 141}, {128, 128, 128}, {105, 105, 105}},
    {{0.5f, 0.25f, 0.05f}, {167, 122, 55}, {206, 165, 59}, {179, 145, 84}, {182, 128, 34}},
    {{1.0f, 1.0f, 1.0f}, {188, 188, 188}, {232, 232, 232}, {202, 202, 202}, {240, 240, 240}},
    {{4.0f, 0.5f, 0.1f}, {255, 131, 60}, {252, 206, 99}, {249, 184, 143}, {253, 166, 152}},
    {{0.05f, 0.2f, 3.0f}, {54, 107, 255}, {59, 149, 250}, {141, 161, 241}, {131, 141, 252}},
    {{16.0f, 16.0f, 16.0f}, {248, 248, 248}, {255, 255, 255}, {254, 254, 254}, {255, 255, 255}},
    {{40.0f, 2.0f, 0.0f}, {255, 119, 0}, {255, 245, 0}, {255, 237, 218}, {255, 239, 238}},
};

/// The picture of a film with these pixels, each of two samples.
Image8 mapped(Device& device, const std::vector<vec3>& pixels, const ToneMap& map) {
    auto stream = device.create_stream();
    Scratch scratch(*stream);
    Film film;
    film.resize(*stream, {static_cast<int>(pixels.size()), 1});
    std::vector<vec4> sums;
    for (vec3 pixel : pixels) sums.emplace_back(2.0f * pixel, 2);
    device.upload(*stream, film.view().radiance_sum, sums.data(), sums.size() * sizeof(vec4));
    return film.picture(scratch, map);
}

void expect_levels(const Image8& picture, std::size_t pixel, Levels wanted, const char* name) {
    const int levels[] = {wanted.r, wanted.g, wanted.b};
    // The formulas in single precision may round to the next level.
    for (std::size_t c = 0; c < 3; ++c)
        EXPECT_NEAR(int(picture.rgba[4 * pixel + c]), levels[c], 1)
            << name << ", row " << pixel << ", channel " << c;
}

TEST(ToneCurves, AreTheSameInHostMemory) {
    std::vector<vec3> pixels;
    for (auto& row : kRows) pixels.push_back(row.radiance);
    pixels.emplace_back(std::numeric_limits<float>::infinity(), 0, 0);
    Extent extent{static_cast<int>(pixels.size()), 1};
    for (auto& curve : names_of(ToneOperator{})) {
        ToneMap map{-0.5f, curve.value};
        auto shown = mapped(*devices()[0], pixels, map);
        auto eight = deep_picture_of({extent, pixels}, map, 8);
        auto sixteen = deep_picture_of({extent, pixels}, map);
        EXPECT_TRUE(eight.lower.empty());
        ASSERT_EQ(eight.rgba.size(), shown.rgba.size());
        for (std::size_t i = 0; i < shown.rgba.size(); ++i) {
            EXPECT_NEAR(eight.rgba[i], shown.rgba[i], 1) << curve.name << ", value " << i;
            EXPECT_NEAR(sixteen.value(i) * 255, eight.rgba[i], 0.5001) << curve.name;
        }
    }
}

TEST(ToneCurves, GiveThePublishedValues) {
    std::vector<vec3> pixels;
    for (auto& row : kRows) pixels.push_back(row.radiance);
    constexpr std::pair<ToneOperator, Levels CurveRow::*> kCurves[] = {
        {ToneOperator::reinhard, &CurveRow::reinhard},
        {ToneOperator::aces, &CurveRow::aces},
        {ToneOperator::agx, &CurveRow::agx},
        {ToneOperator::neutral, &CurveRow::neutral}};
    for (Device* device : devices())
        for (auto& [curve, levels] : kCurves) {
            auto name = std::string(name_of(curve)) + " on " + device->name();
            auto picture = mapped(*device, pixels, {.tone_operator = curve});
            for (std::size_t i = 0; i < std::size(kRows); ++i)
                expect_levels(picture, i, kRows[i].*levels, name.c_str());
            // Two stops more than a quarter of the radiance.
            auto quarter = pixels;
            for (auto& pixel : quarter) pixel *= 0.25f;
            EXPECT_EQ(mapped(*device, quarter, {2, curve}).rgba, picture.rgba) << name;
        }
}

TEST(ToneCurves, MarkPixelsThatAreNotFinite) {
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
    const std::vector<vec3> pixels{
        {kInfinite, 1, 1}, {1, kNoNumber, 1}, vec3(kInfinite), {0.1f, 0.1f, 0.1f}};
    for (Device* device : devices())
        for (auto& [curve, name] : names_of(ToneOperator{})) {
            auto picture = mapped(*device, pixels, {.tone_operator = curve});
            for (std::size_t i = 0; i < 3; ++i) {
                EXPECT_EQ(picture.rgba[4 * i], 255) << name;
                EXPECT_EQ(picture.rgba[4 * i + 1], 0) << name;
            }
            EXPECT_GT(picture.rgba[13], 0) << name;
        }
}

TEST(ToneCurves, AreLinearWhereNothingIsMapped) {
    for (Device* device : devices()) {
        auto picture = mapped(*device, {vec3(0.5f), vec3(7)}, {});
        EXPECT_EQ(picture.rgba[0], 188);
        EXPECT_EQ(picture.rgba[4], 255);
    }
}

TEST(ToneCurves, ScenesThatNameNoneAreNeutral) {
    test::TempFolder folder;
    const std::string scene = "[[sphere]]\n[camera]\neye = [0, 0, 5]\ntarget = [0, 0, 0]\n";
    SessionOptions options;
    options.device = "cpu";
    auto tone_of = [&](const std::string& text) {
        options.scene = folder.write("scene.toml", text);
        return make_session(options)->display().config().tone_map.tone_operator;
    };
    EXPECT_EQ(tone_of(scene), ToneOperator::neutral);
    EXPECT_EQ(tone_of(scene + "[film]\ntone = \"linear\"\n"), ToneOperator::linear);
    EXPECT_EQ(tone_of(scene + "[film]\ntone = \"agx\"\n"), ToneOperator::agx);
    EXPECT_THROW((void)tone_of(scene + "[film]\ntone = \"sepia\"\n"), UserError);
}

}  // namespace
}  // namespace tl::tone_curves_tests
