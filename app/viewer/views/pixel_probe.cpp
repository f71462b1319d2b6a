#include "app/viewer/views/pixel_probe.h"

#include "renderer/aov/aov_buffers.h"
#include "renderer/aov/aov_samples.h"
#include "renderer/film/displayed_error.h"
#include "renderer/shading/camera_rays.h"

namespace tl {
namespace {

/// A camera whose picture is this one pixel of another one's picture.
Camera camera_of_pixel(const Camera& camera, Extent picture, int x, int y) {
    CameraRays rays(camera, picture);
    Camera pixel = camera;
    pixel.target =
        camera.eye +
        rays.through(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f).direction;
    pixel.vertical_fov = camera.vertical_fov / static_cast<float>(picture.height);
    pixel.lens_radius = 0;
    return pixel;
}

AovSet channels() {
    AovSet set;
    for (auto channel : {AovChannel::position, AovChannel::shading_normal, AovChannel::albedo,
                         AovChannel::material, AovChannel::primitive, AovChannel::instance})
        set.set(static_cast<std::size_t>(channel));
    return set;
}

}  // namespace

ProbedPixel probe_pixel(Session& session, int x, int y, const Camera* camera) {
    Extent picture = session.extent();
    bool inside = x >= 0 && y >= 0 && x < picture.width && y < picture.height;
    if (!inside || session.samples() == 0) return {};
    ProbedPixel found{.x = x, .y = y};
    auto& stream = session.stream();
    FilmView film = session.film().view();
    vec4 sum;
    auto pixel = static_cast<std::size_t>(y) * picture.width + x;
    session.device().download(stream, &sum, film.radiance_sum + pixel, sizeof sum);
    found.samples = static_cast<std::uint32_t>(sum.w);
    if (sum.w > 0) found.radiance = vec3(sum) / sum.w;
    auto color =
        picture_of(session.scratch(), {.radiance_sum = film.radiance_sum + pixel, .extent = {1, 1}},
                   session.display().shown_tone_map());
    for (std::size_t c = 0; c < 3; ++c) found.displayed[c] = color.rgba[c];
    vec4 half;
    session.device().download(stream, &half, film.half_sum + pixel, sizeof half);
    float error = displayed_error(sum, half, vec3(0));
    if (error < kInfinity) found.error = error;

    // Not kept: the session may move to another device and stream.
    AovBuffers buffers;
    buffers.resize(stream, {1, 1}, channels());
    Frame frame = session.newest_frame();
    frame.camera = camera_of_pixel(camera ? *camera : frame.camera, picture, x, y);
    frame.sample = 0;
    frame.sampling = {};
    TL_DISPATCH(session.device(),
                add_aov_sample(stream, frame, session.live_scene().view(), buffers.view()));
    auto value = [&](AovChannel channel) { return buffers.value(stream, channel, 0, 0); };
    auto number = [&](AovChannel channel) { return static_cast<std::uint32_t>(value(channel).x); };
    std::uint32_t primitive = number(AovChannel::primitive);
    if (primitive == 0) return found;
    found.hit = true;
    found.primitive = primitive - 1;
    found.material = number(AovChannel::material) - 1;
    std::uint32_t instance = number(AovChannel::instance);
    found.instance = instance == 0 ? ProbedPixel::kNoInstance : instance - 1;
    found.position = value(AovChannel::position);
    found.normal = value(AovChannel::shading_normal);
    found.albedo = value(AovChannel::albedo);
    found.distance = glm::length(found.position - frame.camera.eye);
    return found;
}

}  // namespace tl
