// Computation of the tables of GGX microfacets, which takes about a second of one core.
#pragma once

#include <memory>

#include "renderer/optics/ggx_tables.h"

namespace tl {

[[nodiscard]] std::unique_ptr<const GgxTables> compute_ggx_tables();

}  // namespace tl
