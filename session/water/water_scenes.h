// Scenes of water in motion, as rows of the table of generators.
#pragma once

namespace tl {

/// Adds water-pool, water-dam and water-coast. Call it once, before the command line is read.
void add_water_generators();

}  // namespace tl
