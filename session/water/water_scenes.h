// Scenes of water in motion, as rows of the table of generators.
#pragma once

namespace tl {

/// Adds water-pool, water-dam and water-coast. Call it before a scene is named;
/// further calls do nothing.
void add_water_generators();

}  // namespace tl
