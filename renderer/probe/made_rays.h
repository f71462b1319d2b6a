// Primary rays generated in kernels.
#pragma once

#include "renderer/probe/ray_probes.h"

TL_DEVICE_BEGIN

/// Primary rays, generated in the kernel.
struct MadeRays {
    CameraRays camera;
    PixelOrder order;

    explicit MadeRays(const PrimaryProbe& probe)
        : camera(probe.camera, probe.extent), order(probe.extent) {}
    [[nodiscard]] std::uint32_t count() const { return order.n_items; }
    TL_D bool get(std::uint32_t i, Ray& ray) const {
        std::uint32_t x, y;
        if (!order.pixel(i, x, y)) return false;
        ray = camera.through(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
        return true;
    }
};

TL_DEVICE_END
