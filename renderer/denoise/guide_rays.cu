#include "renderer/denoise/guide_pass.h"

TL_DEVICE_BEGIN

void add_guide_sample(Stream& stream, const Frame& frame, const SceneView& scene,
                      const GuideView& out) {
    CameraRays camera(frame.camera, out.extent, frame.sampling);
    GuideSampler sampler{scene, out, glm::normalize(frame.camera.target - frame.camera.eye),
                         PackedCone::of(pixel_cone(glm::length(camera.step_y), frame.sample))};
    AovPass<GuideRays> pass{stream, sampler,      camera,    PixelOrder(out.extent),
                            {},     frame.sample, frame.seed};
    if (!add_guides_by_default_tracer(pass)) visit_any_tracer(scene.tree, pass);
}

TL_DEVICE_END
