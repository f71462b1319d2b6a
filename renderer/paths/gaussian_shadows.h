// Which Gaussians lie in the shadow of surfaces.
#pragma once

#include "renderer/frame_context.h"

// clang-format off
TL_FOR_DEVICES(
    class GaussianShadows {
      public:
        /// Finds what share of the light of a scene's lamps reaches each of its Gaussians
        /// (GaussiansView::lit), if scene or lights have changed; all of it where there are no
        /// lamps. Never waits. Does nothing where the scene has no Gaussians.
        void update(const FrameContext& context);

      private:
        std::uint32_t scene_ = 0, lights_ = 0;  ///< versions that it was found for
    };
)
// clang-format on
