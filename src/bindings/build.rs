//! Links the addon against the symbols that Node provides.

fn main() {
    napi_build::setup();
}
