// Compares the Whitted tracer with POV-Ray 3.7, an independent implementation: diffuse, mirror and
// glass spheres over a checkerboard, lit by a distant light.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "renderer/images/image_io.h"
#include "session/session.h"
#include "tests/long_test.h"
#include "tests/unit/temp_folder.h"

namespace tl::povray_tests {
namespace {

constexpr Extent kExtent{320, 240};
constexpr int kHalf = 12;  ///< squares of the checker from its middle
const vec3 kEye(0.5f, 2.2f, 7), kTarget(0, 0.8f, 0), kSun(3, 6, 4), kSky(0.4f, 0.6f, 0.9f);
constexpr float kFov = 40;

struct Ball {
    vec3 center;
    float radius;
    const char* kind;
    vec3 color;
};
const Ball kBalls[] = {
    {{-1.7f, 1, -0.5f}, 1, "mirror", {0.9f, 0.9f, 0.9f}},
    {{0.6f, 0.8f, 0.9f}, 0.8f, "glass", {1, 1, 1}},
    {{2.3f, 0.9f, -1.2f}, 0.9f, "diffuse", {0.8f, 0.3f, 0.2f}},
    {{-0.4f, 0.4f, 2.2f}, 0.4f, "diffuse", {0.2f, 0.5f, 0.8f}},
    {{-2.4f, 0.5f, 1.6f}, 0.5f, "glass", {1, 1, 1}},
    {{0.4f, 1.1f, -2.8f}, 1.1f, "mirror", {0.7f, 0.8f, 0.6f}},
};

std::string povray_text(vec3 v) {
    return "<" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ">";
}

std::string povray_scene() {
    float aspect = float(kExtent.width) / float(kExtent.height);
    float angle = 2 * glm::degrees(std::atan(std::tan(glm::radians(kFov) / 2) * aspect));
    // The negative `right` converts POV-Ray's left-handed space to a right-handed one.
    std::string s =
        "#version 3.7;\nglobal_settings { assumed_gamma 1 max_trace_level 12 adc_bailout 0.0001 }\n"
        "#default { finish { ambient 0 diffuse 1 } }\n"
        "background { rgb " +
        povray_text(kSky) +
        " }\n"
        "camera { location " +
        povray_text(kEye) + " right x*" + std::to_string(-aspect) + " up y angle " +
        std::to_string(angle) + " look_at " + povray_text(kTarget) +
        " }\n"
        "light_source { 1000*" +
        povray_text(kSun) +
        " rgb 1 parallel point_at 0 }\n"
        "box { <-12,-1,-12>, <12,0,12> pigment { checker rgb 0.15, rgb 0.8 translate y/2 } }\n";
    for (auto& ball : kBalls) {
        std::string kind = ball.kind, color = povray_text(ball.color);
        s += "sphere { " + povray_text(ball.center) + ", " + std::to_string(ball.radius);
        if (kind == "diffuse") s += " pigment { rgb " + color + " }";
        if (kind == "mirror")
            s += " pigment { rgb 0 } finish { diffuse 0 reflection { rgb " + color + " } }";
        if (kind == "glass")
            s += " pigment { rgbt 1 } finish { diffuse 0 reflection { 0, 1 fresnel on }"
                 " conserve_energy } interior { ior 1.5 }";
        s += " }\n";
    }
    return s;
}

Scene our_scene() {
    Scene scene;
    auto add = [&](MaterialKind kind, vec3 color) {
        Material m;
        m.kind = kind;
        m.diffuse = color;
        m.specular = color;
        scene.materials.push_back(m);
        return static_cast<std::int32_t>(scene.materials.size() - 1);
    };
    std::int32_t squares[] = {add(MaterialKind::diffuse, vec3(0.8f)),
                              add(MaterialKind::diffuse, vec3(0.15f))};
    Mesh floor;
    for (int x = -kHalf; x < kHalf; ++x)
        for (int z = -kHalf; z < kHalf; ++z) {
            auto first = static_cast<std::uint32_t>(floor.positions.size());
            for (auto [dx, dz] : {std::pair(0, 0), {0, 1}, {1, 1}, {1, 0}})
                floor.positions.emplace_back(float(x + dx), 0.0f, float(z + dz));
            floor.triangles.emplace_back(first, first + 1, first + 2);
            floor.triangles.emplace_back(first, first + 2, first + 3);
            floor.material_of_triangle.insert(floor.material_of_triangle.end(), 2,
                                              squares[(x + z) & 1]);
        }
    scene.meshes.push_back(floor);
    for (auto& ball : kBalls) {
        std::string kind = ball.kind;
        scene.spheres.push_back({ball.center, ball.radius,
                                 add(kind == "diffuse"  ? MaterialKind::diffuse
                                     : kind == "mirror" ? MaterialKind::mirror
                                                        : MaterialKind::dielectric,
                                     ball.color)});
    }
    Light sun;
    sun.kind = LightKind::directional;
    sun.direction = -glm::normalize(kSun);
    sun.radiance = vec3(kPi);  // POV-Ray's Lambert is without the 1 / pi
    scene.lights = {sun};
    scene.background = kSky;
    scene.camera = {kEye, kTarget, {0, 1, 0}, kFov};
    scene.settings["whitted"] = {{"max-depth", "12"}, {"cutoff", "0.0001"}};
    return scene;
}

Image8 render(Device& device, Scene scene, const char* glass_shadows) {
    scene.settings["whitted"]["glass-shadows"] = glass_shadows;
    scene.settings["film"]["tone"] = "linear";
    Session session(device);
    session.set_scene(std::make_shared<Scene>(std::move(scene)));
    session.resize(kExtent);
    for (int i = 0; i < 16; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
    return session.film().picture(session.scratch(), session.display().config().tone_map);
}

int step(const Image8& a, std::size_t i, const Image8& b, std::size_t j) {
    int largest = 0;
    for (std::size_t c = 0; c < 3; ++c)
        largest = std::max(largest, std::abs(int(a.rgba[4 * i + c]) - int(b.rgba[4 * j + c])));
    return largest;
}

/// Whether a pixel is like all of its neighbours.
bool is_even(const Image8& image, int x, int y) {
    auto at = [&](int px, int py) { return static_cast<std::size_t>(py * kExtent.width + px); };
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (step(image, at(x, y), image, at(x + dx, y + dy)) > 8) return false;
    return true;
}

}  // namespace

TEST(PovRay, DrawsTheSamePicture) {
    TL_LONG_TEST();
    if (std::system("povray --version > /dev/null 2>&1") != 0)
        GTEST_SKIP() << "povray is not installed";
    test::TempFolder folder;
    std::string input = folder.write("scene.pov", povray_scene()), output = folder.path("out.png");
    std::string command = "povray +I" + input + " +O" + output + " +W" +
                          std::to_string(kExtent.width) + " +H" + std::to_string(kExtent.height) +
                          " -D -GA -A +FN8 > " + folder.path("log") + " 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    Image8 theirs = read_image8(output);
    for (Device* device : devices()) {
        Image8 ours = render(*device, our_scene(), "true");
        // POV-Ray's light passes glass unattenuated, so pixels in glass shadows are not compared.
        Image8 dark = render(*device, our_scene(), "false");
        double sum = 0;
        int n = 0;
        for (int y = 1; y + 1 < kExtent.height; ++y)
            for (int x = 1; x + 1 < kExtent.width; ++x) {
                auto i = static_cast<std::size_t>(y * kExtent.width + x);
                if (step(ours, i, dark, i) > 1 || !is_even(theirs, x, y) || !is_even(ours, x, y))
                    continue;
                for (std::size_t c = 0; c < 3; ++c)
                    sum += std::abs(int(theirs.rgba[4 * i + c]) - int(ours.rgba[4 * i + c]));
                n += 3;
            }
        EXPECT_GT(n, 3 * kExtent.pixels() / 2) << "hardly anything was compared";
        double mean = sum / n / 255;
        RecordProperty("mean-difference", std::to_string(mean));
        EXPECT_LT(mean, 0.01) << device->name();
        if (const char* keep = std::getenv("TREELIGHT_KEEP_POVRAY")) {
            write_png(std::string(keep) + "/ours.png", ours);
            write_png(std::string(keep) + "/theirs.png", theirs);
            std::printf("mean difference %.5f over %d channels\n", mean, n);
        }
    }
}

}  // namespace tl::povray_tests
