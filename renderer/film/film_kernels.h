// Tone mapping, parts of films, and the sum of ray counts; the last waits.
#pragma once

#include "renderer/film/film.h"

// clang-format off
TL_FOR_DEVICES(
    /// Implements tone_map.
    void tone_map_film(Stream& stream, FilmView film, ToneMap map, View<std::uint32_t> rgba8,
                       bool bottom_up);
    /// Sets outside[i] for pixels that are done or do not belong to the share. `begins`: sets those
    /// in the share's region to 0, for a new picture.
    void select_share(Stream& stream, FilmView film, FilmShare share, View<std::uint8_t> outside,
                      bool begins);
    /// Sets outside[i] for pixels that are done or do not belong to the share and the part. Adds the
    /// ray counts of the part before it to `rays_before`.
    void select_part(Stream& stream, FilmView film, FilmShare share, FilmPart part,
                     View<std::uint8_t> outside, View<std::uint32_t> rays_before);
    /// Adds `rays_before` to the film's ray counts.
    void add_counts(Stream& stream, FilmView film, View<std::uint32_t> rays_before);
    /// Implements Film::rays_of_frame. Waits for the stream.
    std::uint64_t sum_ray_counts(Scratch& scratch, FilmView film);
)
// clang-format on
