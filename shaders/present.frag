// The pictures are tone-mapped and sRGB-encoded already: they only need showing. Left of `split`, in
// shares of the width, stands the first, right of it the second; or everywhere how far they are apart.
#version 450 core
layout(binding = 0) uniform sampler2D first;
layout(binding = 1) uniform sampler2D second;
layout(location = 0) uniform float split;
layout(location = 1) uniform float gain;  // of the difference; 0: both pictures
layout(location = 0) in vec2 texture_coordinate;
layout(location = 0) out vec4 color;

void main() {
    vec3 a = texture(first, texture_coordinate).rgb;
    vec3 b = texture(second, texture_coordinate).rgb;
    vec3 shown = texture_coordinate.x < split ? a : b;
    color = vec4(gain > 0.0 ? abs(a - b) * gain : shown, 1.0);
}
