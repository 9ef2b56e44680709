import React, { useEffect, useRef, useState } from "react";
import Chart from "chart.js/auto";

export default function ShiftPanel() {
  const canvas = useRef(null);
  const [shift, setShift] = useState("manhã");
  useEffect(() => {
    const chart = new Chart(canvas.current, {
      type: "bar",
      data: { labels: ["lixo", "gordura", "crateras"], datasets: [{ label: shift, data: shift === "manhã" ? [31, 24, 18] : [20, 11, 9] }] },
      options: { responsive: true, maintainAspectRatio: false },
    });
    return () => chart.destroy();
  }, [shift]);
  return (
    <div style={{ minHeight: "100vh", padding: 24, fontFamily: "system-ui", background: "#f8fafc", color: "#0f172a" }}>
      <h2>Painel do turno</h2>
      {["manhã", "tarde"].map((each) => <button key={each} onClick={() => setShift(each)}>{each}</button>)}
      <div style={{ background: "white", padding: 16, marginTop: 12, borderRadius: 12 }}>
        <canvas ref={canvas} />
      </div>
    </div>
  );
}
