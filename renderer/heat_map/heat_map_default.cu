#include "renderer/heat_map/heat_map_pass.h"

TL_DEVICE_BEGIN

bool count_by_default_tracer(const HeatMapPass& pass) {
    return visit_default_tracer(pass.scene.tree, pass);
}

TL_DEVICE_END
