// Shadows that surfaces cast on Gaussians.
#pragma once

#include "renderer/frame_context.h"

// clang-format off
TL_FOR_DEVICES(
    class GaussianShadows {
      public:
        /// Computes the unoccluded fraction of the lamps' light at each Gaussian
        /// (GaussiansView::lit), if scene or lights have changed; 1 where there are no lamps. Never
        /// waits. Does nothing where the scene has no Gaussians.
        void update(const FrameContext& context);

      private:
        std::uint32_t scene_ = 0, lights_ = 0;  ///< versions of the newest result
    };
)
// clang-format on
