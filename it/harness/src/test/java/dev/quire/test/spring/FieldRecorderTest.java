package dev.quire.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class FieldRecorderTest {

    /** Writes the values of all fields that it reads. */
    private static final class Reading extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
            response.setHeader("One", request.getHeader("X-One"));
            Collections.list(request.getHeaders("X-Many"))
                    .forEach(value -> response.addHeader("Many", value));
            response.setIntHeader("Number", request.getIntHeader("X-Number"));
            response.setHeader("Address", request.getRemoteAddr());
        }
    }

    @Test
    void fieldsThatAreReadAreRecordedOnceAndPassedOn() throws Exception {
        var recorder = new FieldRecorder();
        var request = new MockHttpServletRequest("GET", "/");
        request.addHeader("X-One", "1");
        request.addHeader("X-Many", "a");
        request.addHeader("X-Many", "b");
        request.addHeader("X-Number", "7");
        request.addHeader("X-Unread", "z");
        var response = new MockHttpServletResponse();

        recorder.doFilter(request, response, new MockFilterChain(new Reading()));

        assertThat(recorder.take())
                .containsExactlyInAnyOrder("X-One", "X-Many", "X-Number", "X-Forwarded-For");
        assertThat(recorder.take()).isEmpty();
        assertThat(response.getHeader("One")).isEqualTo("1");
        assertThat(response.getHeaders("Many")).containsExactly("a", "b");
        assertThat(response.getHeader("Number")).isEqualTo("7");
        assertThat(response.getHeader("Address")).isEqualTo(request.getRemoteAddr());
    }
}
