package dev.quire.spring;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/** Leaves the address of the connection's other end where {@link Capabilities} looks for it. */
final class PeerAddressValve extends ValveBase {

    PeerAddressValve() {
        super(true);
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        request.setAttribute(Capabilities.PEER, request.getPeerAddr());
        getNext().invoke(request, response);
    }
}
