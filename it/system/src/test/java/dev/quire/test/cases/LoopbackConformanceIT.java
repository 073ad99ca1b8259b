package dev.quire.test.cases;

/** The same with fragments that the application fetches from itself over HTTP. */
class LoopbackConformanceIT extends InAppConformanceIT {

    @Override
    String mode() {
        return "loopback";
    }
}
