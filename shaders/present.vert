// One triangle that covers the viewport. The picture's row 0 is its top.
#version 450 core
layout(location = 0) out vec2 texture_coordinate;

void main() {
    vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    texture_coordinate = vec2(corner.x, 1.0 - corner.y);
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
