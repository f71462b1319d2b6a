#include "renderer/photon/thesis/photon_tree.h"

#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

void PhotonTree::build(Scratch& scratch, View<const Photon> photons, const std::uint32_t* count) {
    auto& stream = scratch.stream();
    auto most = static_cast<std::uint32_t>(photons.size);
    surfaces_.resize_discard(stream, most);
    lights_.resize_discard(stream, most);
    {
        Scratch::Scope scope(scratch);
        auto positions = scratch.take<vec3>(most);
        parallel_for(
            stream, "places of photons", most, TL_LAMBDA(std::uint32_t i) {
                if (i < *count) positions[i] = photons[i].position;
            });
        tree_.build(scratch, positions, count);
    }
    auto points = tree_.view().points;
    auto surfaces = surfaces_.view();
    auto lights = lights_.view();
    parallel_for(
        stream, "photons in order", most, TL_LAMBDA(std::uint32_t i) {
            if (i >= *count) return;
            Photon photon = load_vectorized(photons[points[i].index]);
            surfaces[i] = photon.surface;
            store_vectorized(lights[i], PhotonLight{photon.power, photon.direction});
        });
}

TL_DEVICE_END
