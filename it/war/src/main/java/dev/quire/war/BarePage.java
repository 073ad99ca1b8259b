package dev.quire.war;

import dev.quire.spring.Esi;
import dev.quire.spring.EsiResponse;
import dev.quire.spring.internal.stamp.TagWriter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** The page written by a servlet without any framework. */
final class BarePage extends HttpServlet {

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        var q = request.getParameter("q");
        var tags = TagWriter.of(request);
        var own = Esi.include(request.getContextPath() + "/fragment/own");
        EsiResponse.of(request).ttl(Duration.ofSeconds(10)).stale(Duration.ZERO);
        response.setContentType("text/html;charset=UTF-8");

        var out = response.getWriter();
        out.write("<html><body><p>" + q + "</p>");
        out.write(tags.start("try", Map.of()) + tags.start("attempt", Map.of()));
        out.write("[" + q + own.toHtml(request) + "]");
        out.write(tags.end("attempt") + tags.start("except", Map.of()) + "sorry");
        out.write(tags.end("except") + tags.end("try"));
        out.write("<i>" + Esi.variable("HTTP_HOST").toHtml(request) + "</i>");
        out.write(tags.start("choose", Map.of()));
        out.write(tags.start("when", Map.of("test", "$(REQUEST_METHOD) == 'GET'")));
        out.write(q + "yes" + tags.end("when") + tags.start("otherwise", Map.of()));
        out.write(q + "no" + tags.end("otherwise") + tags.end("choose"));
        out.write(tags.start("remove", Map.of()) + q + tags.end("remove"));
        out.write("<p>" + q + "</p></body></html>");
    }
}
