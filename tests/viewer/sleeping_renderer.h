// Test renderer whose frames are slow but leave the processor to other threads.
#pragma once

#include <chrono>
#include <thread>
#include <vector>

#include "renderer/renderer.h"

namespace tl {

/// Sleeps in each frame, in proportion to the number of pixels: `seconds` at the size `full`.
class SleepingRenderer final : public Renderer {
  public:
    SleepingRenderer(double seconds, Extent full) : seconds_(seconds), full_(full) {}

    void render(const FrameContext& context) override {
        StageTimer::Scope stage(context.timer, "trace", StageKind::trace);
        auto film = context.film.view();
        double share = double(film.extent.pixels()) / double(full_.pixels());
        using Clock = std::chrono::steady_clock;
        auto end = Clock::now() + std::chrono::duration<double>(seconds_ * share);
        while (Clock::now() < end) {
            context.stream().check_cancelled();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        std::vector<vec4> sums(film.extent.pixels(), vec4(float(context.frame.sample + 1)));
        context.stream().device().upload(context.stream(), film.radiance_sum, sums.data(),
                                         sums.size() * sizeof(vec4));
    }

  private:
    double seconds_;
    Extent full_;
};

}  // namespace tl
